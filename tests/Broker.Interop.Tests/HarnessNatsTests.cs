using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests;

/// <summary>Tests the NATS peers with the real nats-server, without the broker.</summary>
public sealed class HarnessNatsTests
{
    [Theory]
    [InlineData("nats.js", "nats.c")]
    [InlineData("nats.c", "nats.js")]
    public async Task A_publisher_reaches_a_subscriber(string publisher, string subscriber)
    {
        using var server = NatsServer.Start();
        await using Subscriber sub = await Peers.Nats(subscriber).SubscribeAsync(server.Url, "weather.*");
        await using Publisher pub = await Peers.Nats(publisher).PublishAsync(server.Url);

        await pub.SendAsync("weather.oslo", "4", "Unit: C");

        Message message = await sub.ReadAsync();
        Assert.Equal("weather.oslo", message.Subject);
        Assert.Equal("4", message.PayloadText);
        Assert.Equal(["Unit: C"], message.Headers);
        Assert.Equal("DONE 1", await pub.FinishAsync());
    }

    [Theory]
    [InlineData("nats.js", "nats.c")]
    [InlineData("nats.c", "nats.js")]
    public async Task A_request_is_answered(string requester, string responder)
    {
        using var server = NatsServer.Start();
        await using Subscriber service = await Peers.Nats(responder).SubscribeAsync(server.Url, "service", "echo");
        await using Publisher client = await Peers.Nats(requester).RequestAsync(server.Url);

        await client.SendAsync("service", "ask");
        var reply = Message.Parse(await client.Process.ReadLineWithAsync("MSG"));
        await client.SendAsync("nobody", "ask");
        string refusal = await client.Process.ReadLineAsync();

        Assert.Equal("ask", reply.PayloadText);
        Assert.StartsWith("ERR ", refusal, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_peer_that_cannot_connect_fails_with_its_own_words()
    {
        int port = FreePort.Next();

        InvalidOperationException failure = await Assert.ThrowsAsync<InvalidOperationException>(() => Peers.Libnats.PublishAsync($"nats://127.0.0.1:{port}"));

        Assert.Contains("No server available", failure.Message, StringComparison.Ordinal);
        Assert.Contains("exit code 1", failure.Message, StringComparison.Ordinal);
    }
}
