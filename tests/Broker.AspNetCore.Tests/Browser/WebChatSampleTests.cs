using System.Text;
using Broker.Client;
using Broker.TestKit.Browsers;

namespace Broker.AspNetCore.Tests.Browser;

/// <summary>samples/WebChat: its page in a real browser, and a NATS client that exchanges messages with it.</summary>
public sealed class WebChatSampleTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task The_page_says_what_its_link_brings_and_shows_what_programs_say()
    {
        (int http, int nats) = (FreePort.Next(), FreePort.Next());
        await using var sample = PeerProcess.Start(
            "sample", "dotnet", Repository.Sample("WebChat"),
            $"--Urls=http://127.0.0.1:{http}", $"--Broker:Listen:0=127.0.0.1:{nats}", "--Broker:AuthTimeout=00:02:00");
        await sample.ReadLineWithAsync("Application started");
        await using BrokerConnection program = await BrokerConnection.ConnectAsync(
            new ClientOptions { Servers = [$"nats://127.0.0.1:{nats}"], ConnectTimeout = Wait.Limit }, Cancellation);
        TaskCompletionSource<string> said = Wait.Source<string>();
        TaskCompletionSource seen = Wait.Source();
        program.Subscribe("chat.room", (in message) => said.TrySetResult(Encoding.UTF8.GetString(message.Body)));
        program.Subscribe("chat.seen", (in message) => Heard(message.Body, seen));
        await program.PingAsync(Cancellation);

        await using var browser = Chromium.Open($"http://127.0.0.1:{http}/?say=gr%C3%BC%C3%9Fe");

        Assert.Equal("grüße", await Wait.For(said));
        // The page has subscribed before it published. It shows markup as text.
        program.Publish("chat.room", "<b>hello</b>"u8);
        await Wait.For(seen);
        await sample.SignalAsync("TERM");
        Assert.True(await sample.WaitForExitAsync() == 0, sample.Errors);
    }

    private static void Heard(ReadOnlySpan<byte> text, TaskCompletionSource seen)
    {
        if (text.SequenceEqual("<b>hello</b>"u8))
        {
            seen.TrySetResult();
        }
    }
}
