using System.Collections.Concurrent;
using Broker.Client.Tests.Support;

namespace Broker.Client.Tests.Servers;

/// <summary>A server that comes back with other limits, and a connection that gives up.</summary>
public sealed class NextServerTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_server_with_a_smaller_max_payload_or_without_headers_gets_all_buffered_messages_that_it_accepts()
    {
        int links = 0;
        var lines = new ConcurrentQueue<string>();
        using var back = new ManualResetEventSlim();
        using var server = new FakeServer(peer =>
        {
            bool first = Interlocked.Increment(ref links) == 1;
            if (first)
            {
                peer.ShakeHands();
                return;
            }

            back.Wait(Wait.Limit);
            peer.ShakeHands("INFO {\"server_id\":\"fake\",\"headers\":false,\"max_payload\":1000} \r\n");
            while (true)
            {
                string line = peer.ReadLine();
                lines.Enqueue(line);
                if (line == "PING")
                {
                    peer.Send("PONG\r\n");
                }
                else if (line.Split(' ') is [_, _, .., var size] && int.TryParse(size, out int length) && length > 1000)
                {
                    peer.Send("-ERR 'Maximum Payload Violation'\r\n");
                    return;
                }
            }
        });
        TaskCompletionSource<Exception> lost = Wait.Source<Exception>();
        TaskCompletionSource found = Wait.Source();
        var faults = new ConcurrentQueue<Exception>();
        using var log = new LogLines();
        await using BrokerConnection connection = await Patient.ConnectAsync(
            server.Options with
            {
                LoggerFactory = log,
                OnDisconnected = (_, e) => lost.TrySetResult(e),
                OnReconnected = _ => found.TrySetResult(),
                OnFault = (_, e) => faults.Enqueue(e),
            },
            Token);
        await Wait.For(lost);
        for (int i = 0; i < 100; i++)
        {
            connection.Publish("small", new byte[10]);
            if (i == 50)
            {
                connection.Publish("large", new byte[1001]);
                connection.Publish("headed", default, headers: new MessageHeaders { ["a"] = "b" });
            }
        }

        Task request = connection.RequestAsync("large", new byte[1001], TimeSpan.FromMinutes(10), cancellationToken: Token).AsTask();
        back.Set();
        await Wait.For(found);
        await connection.PingAsync(Token);

        Assert.Equal(100, lines.Count(static l => l.StartsWith("PUB small ", StringComparison.Ordinal)));
        PublishRefusedException toCaller = await Assert.ThrowsAsync<PublishRefusedException>(() => Wait.For(request));
        Assert.Equal(PublishStatus.PayloadTooLarge, toCaller.Status);
        Assert.Equal(
            [PublishStatus.PayloadTooLarge, PublishStatus.HeadersNotSupported],
            faults.Select(static e => Assert.IsType<PublishRefusedException>(e).Status));
        Assert.Equal(3, connection.GetStatistics().Lost);
        Assert.Equal(1, connection.GetStatistics().Reconnects);
        await log.HasAsync("[10] Error: Client (default): a message was buffered that the next server does not accept");
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task A_ReconnectDelay_that_throws_is_reported_and_the_connection_goes_on(ServerKind kind)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        TaskCompletionSource<Exception> fault = Wait.Source<Exception>();
        TaskCompletionSource found = Wait.Source();
        await using BrokerConnection connection = await Patient.ConnectAsync(
            server.Options with
            {
                ReconnectDelay = static _ => throw new InvalidDataException("no delay"),
                OnFault = (_, e) => fault.TrySetResult(e),
                OnReconnected = _ => found.TrySetResult(),
            },
            Token);
        await server.RestartAsync();
        await Wait.For(found);
        Assert.Equal("no delay", (await Wait.For(fault)).Message);
        await connection.PingAsync(Token);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(2)]
    public async Task Readers_end_with_the_cause_if_the_connection_gives_up(int attempts)
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        using var log = new LogLines();
        TaskCompletionSource closed = Wait.Source();
        await using BrokerConnection connection = await Patient.ConnectAsync(
            server.Options with
            {
                LoggerFactory = log,
                MaxReconnectAttempts = attempts,
                ReconnectDelay = static _ => TimeSpan.FromMilliseconds(1),
                OnClosed = _ => closed.TrySetResult(),
            },
            Token);
        var values = new EncodedConnection(connection, TextEncoder.Instance);
        await using QueuedSubscription queued = connection.SubscribeQueued("a");
        HandlerBinding binding = values.Subscribe<string>("a", static _ => { });
        Task<bool> read = queued.Reader.WaitToReadAsync(Token).AsTask();
        await server.KillAsync();
        await Wait.For(closed);

        Exception[] causes =
        [
            await Assert.ThrowsAsync<ConnectionLostException>(() => Wait.For(read)),
            await Assert.ThrowsAsync<ConnectionLostException>(() => Wait.For(binding.Completion)),
        ];
        Assert.NotSame(causes[0], causes[1]);
        if (attempts != 0)
        {
            Assert.Contains("MaxReconnectAttempts", causes[0].Message, StringComparison.Ordinal);
            await log.HasAsync("[9] Error: Client (default): the client has given up reconnecting");
        }

        Assert.Empty(log.Of(5));
        Assert.Equal(0, connection.GetStatistics().Faults);
    }

    [Fact]
    public async Task Readers_end_without_an_error_if_the_owner_closes_the_connection()
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        await using BrokerConnection connection = await Patient.ConnectAsync(server.Options, Token);
        await using QueuedSubscription queued = connection.SubscribeQueued("a");
        Task<bool> read = queued.Reader.WaitToReadAsync(Token).AsTask();
        await connection.CloseAsync();
        Assert.False(await Wait.For(read));
    }
}
