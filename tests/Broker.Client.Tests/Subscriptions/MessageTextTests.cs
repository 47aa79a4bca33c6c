using Broker.Client.Tests.Support;

namespace Broker.Client.Tests.Subscriptions;

/// <summary>A message as one short line, and its headers by name.</summary>
public sealed class MessageTextTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_message_shows_its_subject_and_the_beginning_of_its_text_but_never_its_headers()
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        await using QueuedSubscription own = client.SubscribeQueued("a.>");
        TaskCompletionSource<string> borrowed = Wait.Source<string>();
        client.Subscribe("a.b", (in m) => borrowed.TrySetResult(m.ToString()));

        client.Publish("a.b", "4 degrees", headers: new MessageHeaders { ["Password"] = "secret" });
        Assert.Equal("a.b \"4 degrees\"", (await own.Reader.ReadAsync(Token)).ToString());
        Assert.Equal("a.b \"4 degrees\"", await Wait.For(borrowed));

        client.Publish("a.c", new string('x', 1000));
        Assert.Equal($"a.c \"{new string('x', 64)}…\" (1000 bytes)", (await own.Reader.ReadAsync(Token)).ToString());

        client.Publish("a." + new string('s', 1000), default);
        string longSubject = (await own.Reader.ReadAsync(Token)).ToString();
        Assert.Equal($"a.{new string('s', 126)}… \"\"", longSubject);

        // A character of several bytes is shown whole or not at all.
        client.Publish("a.d", new string('x', 63) + "é");
        Assert.Equal($"a.d \"{new string('x', 63)}…\" (65 bytes)", (await own.Reader.ReadAsync(Token)).ToString());
        client.Publish("a.e", [(byte)'"', (byte)'\\', 0, 0x1B, (byte)'\n', 0xFF, 0xC3, 0xE2, 0x80, 0xAE, 0xC3, 0xA9]);
        Assert.Equal("a.e \"\\\"\\\\\\u{0}\\u{1b}\\u{a}\\xff\\xc3\\u{202e}é\"", (await own.Reader.ReadAsync(Token)).ToString());
    }

    [Fact]
    public void A_value_without_a_message_can_be_shown()
    {
        Assert.Equal("no message", default(Message).ToString());
        Assert.Equal("no message", default(MessageView).ToString());
        Assert.Equal("", default(Message).Text);
        Assert.Null(default(Message).Headers["a"]);
    }

    [Fact]
    public async Task Headers_are_read_by_name_and_passed_on_as_a_block()
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options, Token);
        await using QueuedSubscription own = client.SubscribeQueued("a");
        await using QueuedSubscription copies = client.SubscribeQueued("b");
        var headers = new MessageHeaders();
        headers.Add("Key", "one");
        headers.Add("Key", "two");
        headers.Add("Other", "é");
        client.Publish("a", "x", headers: headers);
        Message message = await own.Reader.ReadAsync(Token);
        Assert.Equal(("one", "é", null), (message.Headers["key"], message.Headers["OTHER"], message.Headers["none"]));
        Assert.Null(message.Headers[new string('n', 1000)]);
        Assert.Equal(["one", "two"], message.Headers.GetAll("KEY"));
        Assert.Equal((0, false), (message.Headers.Status, message.Headers.IsEmpty));
        var read = new List<string>();
        foreach ((string name, string value) in message.Headers)
        {
            read.Add($"{name}={value}");
        }

        Assert.Equal(["Key=one", "Key=two", "Other=é"], read);
        Assert.Equal(message.Headers.Length, new MessageHeaders(message.Headers).ToBlock().Length);

        client.Publish("b", message.Body.Span, headers: message.Headers);
        await client.PublishAsync("b", message.Body, headers: message.Headers, cancellationToken: Token);
        Assert.Equal(message.Headers.ToArray(), (await copies.Reader.ReadAsync(Token)).Headers.ToArray());
        Assert.Equal(message.Headers.ToArray(), (await copies.Reader.ReadAsync(Token)).Headers.ToArray());

        client.Publish("a", "without");
        Message without = await own.Reader.ReadAsync(Token);
        Assert.True(without.Headers.IsEmpty);
        Assert.Null(without.Headers["Key"]);
        Assert.Empty(without.Headers.GetAll("Key"));
    }
}
