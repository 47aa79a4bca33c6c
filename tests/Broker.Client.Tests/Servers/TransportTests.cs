using System.Net;
using System.Net.Sockets;
using Broker.Client.Tests.Support;
using Broker.Testing;
using Broker.Transport;

namespace Broker.Client.Tests.Servers;

/// <summary>
/// The core of the client over every transport, with both pollers and every server that supports the transport.
/// </summary>
public sealed class TransportTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [ClassData(typeof(EveryWay))]
    public async Task Messages_requests_large_bodies_and_a_drain(Way way, ServerKind kind, bool portable)
    {
        Assert.SkipUnless(way != Way.Unix || Socket.OSSupportsUnixDomainSockets, "the system has no Unix sockets");
        await using TransportSite site = await TransportSite.StartAsync(way, kind);
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1, ForcePortable = portable });
        await using BrokerConnection client = await Patient.ConnectAsync(
            site.Options with { Loops = group, ConnectTimeout = Wait.Limit }, Token);
        const int Messages = 5000;
        var counter = new Counter(Messages);
        int disorder = 0;
        client.Subscribe("many", (in MessageView m) =>
        {
            disorder += BitConverter.ToInt32(m.Body) == counter.Count ? 0 : 1;
            counter.Take(in m);
        });
        client.Subscribe("echo", (in MessageView m) => m.Respond(m.Body, m.Headers));
        for (int i = 0; i < Messages; i++)
        {
            client.Publish("many", BitConverter.GetBytes(i));
        }

        await counter.Complete;
        Assert.Equal(0, disorder);
        byte[] large = new byte[900_000];
        new Random(1).NextBytes(large);
        Message answer = await client.RequestAsync("echo", large, Wait.Limit, new MessageHeaders { ["Way"] = "there" }, Token);
        Assert.Equal(large, answer.Body.ToArray());
        Assert.Equal("there", new MessageHeaders(answer.Headers.Span)["way"]);
        await Assert.ThrowsAsync<NoRespondersException>(() => client.RequestAsync("nobody", default, Wait.Limit, cancellationToken: Token).AsTask());
        await using QueuedSubscription last = client.SubscribeQueued("last");
        client.Publish("last", default);
        Task drain = client.DrainAsync(Token);
        Assert.True(await Wait.For(last.Reader.WaitToReadAsync(Token).AsTask()));
        Assert.True(last.Reader.TryRead(out _));
        await Wait.For(drain);
        Assert.Equal((0L, 0L), (client.GetStatistics().Lost, client.GetStatistics().Unconfirmed));
        Assert.Equal(0, client.GetStatistics().Faults);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_lost_WebSocket_is_dialled_again_and_the_subscriptions_continue(ServerKind kind, bool portable)
    {
        await using TransportSite site = await TransportSite.StartAsync(Way.WebSocket, kind);
        using var group = new EventLoopGroup(new EventLoopOptions { Loops = 1, ForcePortable = portable });
        await using var front = FaultLink.Open(new IPEndPoint(IPAddress.Loopback, new Uri(site.Options.Servers[0]).Port));
        TaskCompletionSource found = Wait.Source();
        await using BrokerConnection client = await Patient.ConnectAsync(
            new() { Servers = [$"ws://{front.Address}"], Loops = group, OnReconnected = _ => found.TrySetResult() },
            Token);
        TaskCompletionSource got = Wait.Source();
        client.Subscribe("a", (in MessageView _) => got.TrySetResult());
        await client.PingAsync(Token);
        front.Cut();
        await Wait.For(found);
        client.Publish("a", default);
        await Wait.For(got);
        Assert.Equal(1, client.GetStatistics().Reconnects);
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task A_certificate_that_nobody_trusts_is_refused_over_WebSocket_too(ServerKind kind)
    {
        await using TransportSite site = await TransportSite.StartAsync(Way.SecureWebSocket, kind);
        await Assert.ThrowsAsync<TlsException>(() => Patient.ConnectAsync(site.Options with { Tls = null, ConnectTimeout = Wait.Limit }, Token));
    }

    [Fact]
    public async Task An_unencrypted_WebSocket_is_refused_if_TLS_is_required()
    {
        await using TransportSite site = await TransportSite.StartAsync(Way.WebSocket, ServerKind.Nats);
        TlsException e = await Assert.ThrowsAsync<TlsException>(
            () => Patient.ConnectAsync(site.Options with { Tls = new ClientTlsOptions(), ConnectTimeout = Wait.Limit }, Token));
        Assert.Contains("wss", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_server_without_WebSocket_is_reported()
    {
        using var http = new FakeServer(peer =>
        {
            while (peer.ReadLine().Length != 0)
            {
            }

            peer.Send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
            peer.Discard();
        });
        string at = http.Url["nats://".Length..];
        await Assert.ThrowsAsync<ConnectionLostException>(
            () => Patient.ConnectAsync(new() { Servers = [$"ws://u:s3cret@{at}/x"], ConnectTimeout = Wait.Limit }, Token));
        using var silent = new FakeServer(peer => peer.Discard());
        TimeoutException e = await Assert.ThrowsAsync<TimeoutException>(
            () => Patient.ConnectAsync(
                new() { Servers = [$"ws://u:s3cret@{silent.Url["nats://".Length..]}/x"], ConnectTimeout = TimeSpan.FromMilliseconds(50) }, Token));
        Assert.DoesNotContain("s3cret", e.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_dialer_that_fails_is_a_failed_attempt()
        => await Assert.ThrowsAsync<InvalidDataException>(
            () => Patient.ConnectAsync(Dialers.FromStream(_ => throw new InvalidDataException("no tunnel")), Token));
}
