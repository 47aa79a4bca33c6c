using System.Text;
using Broker.Client.Tests.Support;

namespace Broker.Client.Tests.Publishing;

/// <summary>Text and spans in place of memory.</summary>
public sealed class TextTests
{
    private const string Said = "4 degrés, \u2603 and \U0001F600";

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Text_is_sent_as_UTF8_by_every_method(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        await using QueuedSubscription all = client.SubscribeQueued("said.>");
        client.Publish("said.a", Said, "to.me", new MessageHeaders { ["Key"] = "value" });
        Assert.Equal(PublishStatus.Accepted, client.PublishWithStatus("said.b", Said));
        await client.PublishAsync("said.c", Said, "to.me", new MessageHeaders { ["Key"] = "value" }, Token);
        await client.PublishAsync("said.d", "bytes"u8, cancellationToken: Token);
        await client.PublishAsync("said.e", "", cancellationToken: Token);
        foreach (string subject in (string[])["said.a", "said.b", "said.c", "said.d", "said.e"])
        {
            Message message = await all.Reader.ReadAsync(Token);
            bool isLong = subject is "said.a" or "said.c";
            string text = subject switch
            {
                "said.d" => "bytes",
                "said.e" => "",
                _ => Said,
            };
            Assert.Equal((subject, text, isLong ? "to.me" : null, isLong ? "value" : null), (message.Subject, message.Text, message.ReplyTo, message.Headers["key"]));
            Assert.Equal(Encoding.UTF8.GetBytes(text), message.Body.ToArray());
        }
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Text_is_requested_and_answered_by_every_method(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options with { RequestTimeout = Wait.Limit }, Token);
        client.Subscribe("borrowed", static (in message) => message.Respond($"<{message.Text}>", new MessageHeaders { ["Key"] = "value" }));
        client.Subscribe("owned", static message => message.Respond($"<{message.Text}>", new MessageHeaders { ["Key"] = "value" }));
        foreach (string subject in (string[])["borrowed", "owned"])
        {
            Message reply = await client.RequestAsync(subject, Said, cancellationToken: Token);
            Assert.Equal(($"<{Said}>", "value"), (reply.Text, reply.Headers["KEY"]));
            Assert.Equal("<bytes>", (await client.RequestAsync(subject, "bytes"u8, cancellationToken: Token)).Text);
            Assert.Equal($"<{Said}>", client.Request(subject, Said, cancellationToken: Token).Text);
            Assert.Equal($"<{Said}>", Assert.Single(await client.GatherAsync(subject, Said, new() { MaxReplies = 1, Deadline = Wait.Limit }, cancellationToken: Token)).Text);
        }
    }

    [Fact]
    public async Task Text_passes_the_checks_of_bytes()
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        string tooLong = new('é', (client.MaxPayload / 2) + 1);
        Assert.Equal(PublishStatus.PayloadTooLarge, Assert.Throws<PublishRefusedException>(() => client.Publish("a", tooLong)).Status);
        Assert.Throws<ArgumentException>(() => client.Publish("a b", "x"));
        Assert.Throws<ArgumentException>(() => client.Publish("", "x"));
        Assert.Throws<ArgumentException>(() => client.Publish("a", "x", headers: "no block"u8));
        Assert.Throws<ArgumentNullException>(() => client.Publish("a", (string)null!));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await client.PublishAsync("a", "x", cancellationToken: new CancellationToken(true)));
        await using QueuedSubscription own = client.SubscribeQueued("a");
        client.Subscribe("none", static message => { });
        client.Publish("a", "x", replyTo: "");
        Message message = await own.Reader.ReadAsync(Token);
        Assert.Null(message.ReplyTo);
        Assert.Throws<InvalidOperationException>(() => message.Respond("nowhere"));
    }

    [Fact]
    public async Task A_span_that_must_wait_for_space_is_copied_before_the_method_returns()
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        TaskCompletionSource lost = Wait.Source();
        await using BrokerConnection client = await Patient.ConnectAsync(
            server.Options with { ReconnectBufferSize = 100, OnDisconnected = (_, _) => lost.TrySetResult() }, Token);
        await using QueuedSubscription own = client.SubscribeQueued("a");
        await server.KillAsync();
        await Wait.For(lost);
        byte[] body = Encoding.UTF8.GetBytes(new string('x', 200));
        byte[] headers = "NATS/1.0\r\nA: b\r\n\r\n"u8.ToArray();
        ValueTask bytes = client.PublishAsync("a", (ReadOnlySpan<byte>)body, headers: headers, cancellationToken: Token);
        ValueTask text = client.PublishAsync("a", new string('y', 200), headers: headers, cancellationToken: Token);
        Assert.False(bytes.IsCompleted || text.IsCompleted);
        Array.Clear(body);
        Array.Clear(headers);
        await server.RestartAsync();
        await Wait.For(bytes.AsTask());
        await Wait.For(text.AsTask());
        string[] got = [Describe(await own.Reader.ReadAsync(Token)), Describe(await own.Reader.ReadAsync(Token))];
        Assert.Equal([new string('x', 200) + " b", new string('y', 200) + " b"], got.Order(StringComparer.Ordinal));

        static string Describe(Message message) => $"{message.Text} {message.Headers["A"]}";
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Publishing_text_allocates_nothing_for_a_message(bool onLoop)
    {
        const int Portion = 10_000;
        const int Call = 1000;
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        using var load = new PortionedLoad(Portion);
        client.Subscribe("alloc", (in MessageView m) => load.Count());
        Action publish = () =>
        {
            for (int i = 0; i < Call; i++)
            {
                client.Publish("alloc", Said, "reply");
            }
        };

        long least = load.Least(200_000, rounds: 3, SendPortion, () => $"{client.GetStatistics()}");

        Assert.InRange(least, 0, 100_000);

        void SendPortion()
        {
            for (int i = 0; i < Portion; i += Call)
            {
                if (onLoop)
                {
                    client.Loop.Post(publish);
                }
                else
                {
                    publish();
                }
            }
        }
    }

    [Fact]
    public async Task A_request_without_a_timeout_ends_after_the_timeout_of_the_options()
    {
        Assert.Equal(TimeSpan.FromSeconds(5), new ClientOptions().RequestTimeout);
        foreach (TimeSpan wrong in (TimeSpan[])[TimeSpan.Zero, TimeSpan.FromDays(21)])
        {
            await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => BrokerConnection.ConnectAsync(new ClientOptions { RequestTimeout = wrong }, Token));
        }

        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        await using BrokerConnection hasty = await Patient.ConnectAsync(server.Options with { RequestTimeout = TimeSpan.FromMilliseconds(50) }, Token);
        TaskCompletionSource<Message> asked = Wait.Source<Message>();
        await using HandlerBinding silent = hasty.Subscribe("silent", _ => { });
        await using HandlerBinding late = hasty.Subscribe("late", m => asked.TrySetResult(m));
        await Assert.ThrowsAsync<TimeoutException>(async () => await hasty.RequestAsync("silent", default, cancellationToken: Token));
        await Assert.ThrowsAsync<TimeoutException>(async () => await hasty.RequestAsync("silent", "x", cancellationToken: Token));
        await Assert.ThrowsAsync<TimeoutException>(async () => await hasty.RequestAsync("silent", "x"u8, cancellationToken: Token));
        Assert.Throws<TimeoutException>(() => hasty.Request("silent", "x", cancellationToken: Token));
        var values = new EncodedConnection(hasty, TextEncoder.Instance);
        await Assert.ThrowsAsync<TimeoutException>(async () => await values.RequestAsync<string, string>("silent", "x", cancellationToken: Token));

        // The timeout of the call replaces the timeout of the options.
        ValueTask<Message> reply = hasty.RequestAsync("late", "x", Wait.Limit, cancellationToken: Token);
        Message question = await Wait.For(asked);
        await Task.Delay(200, Token);
        question.Respond("at last");
        Assert.Equal("at last", (await reply).Text);
    }
}
