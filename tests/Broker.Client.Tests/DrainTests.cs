using System.Globalization;
using Broker.Client.Tests.Support;

namespace Broker.Client.Tests;

/// <summary>Drains without a server, and drains by a handler.</summary>
public sealed class DrainTests
{
    // Longer than the limit of a wait: a drain that uses up its time fails the test.
    private static readonly TimeSpan Long = TimeSpan.FromMinutes(10);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_drain_while_the_connection_is_being_made_again_waits_for_the_server_and_sends_what_waits()
    {
        const int Messages = 50;
        int links = 0;
        int arrived = 0;
        using var back = new ManualResetEventSlim();
        using var server = new FakeServer(peer =>
        {
            bool first = Interlocked.Increment(ref links) == 1;
            if (!first)
            {
                back.Wait(Wait.Limit);
            }

            peer.ShakeHands();
            while (!first)
            {
                string line = peer.ReadLine();
                arrived += line.StartsWith("PUB a ", StringComparison.Ordinal) ? 1 : 0;
                if (line == "PING")
                {
                    peer.Send("PONG\r\n");
                }
            }
        });
        TaskCompletionSource<Exception> lost = Wait.Source<Exception>();
        BrokerConnection connection = await Patient.ConnectAsync(server.Options with { DrainTimeout = Long, OnDisconnected = (_, e) => lost.TrySetResult(e) }, Token);
        await Wait.For(lost);
        for (int i = 0; i < Messages; i++)
        {
            connection.Publish("a", "x"u8);
        }

        Task drain = connection.DrainAsync(Token);
        back.Set();
        await Wait.For(drain);
        Assert.Equal(Messages, arrived);
        Assert.Equal(0, connection.GetStatistics().Lost);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_drain_that_finds_no_server_in_its_time_says_how_many_messages_are_lost(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        TaskCompletionSource<Exception> lost = Wait.Source<Exception>();
        BrokerConnection connection = await Patient.ConnectAsync(
            server.Options with { DrainTimeout = TimeSpan.FromMilliseconds(200), OnDisconnected = (_, e) => lost.TrySetResult(e) }, Token);
        await server.KillAsync();
        await Wait.For(lost);
        for (int i = 0; i < 1234; i++)
        {
            connection.Publish("a", default);
        }

        // Its caller has been told of the timeout, so it is not told again.
        await Assert.ThrowsAsync<TimeoutException>(() => connection.RequestAsync("a", default, TimeSpan.FromMilliseconds(1), cancellationToken: Token).AsTask());
        Task[] drains = [connection.DrainAsync(Token), connection.DrainAsync(Token)];
        foreach (Task drain in drains)
        {
            Exception e = await Assert.ThrowsAnyAsync<Exception>(() => Wait.For(drain));
            Assert.Contains(1234.ToString("N0", CultureInfo.InvariantCulture), e.Message, StringComparison.Ordinal);
            Assert.Equal(1234, Assert.IsType<ConnectionLostException>(e).LostMessages);
        }

        Assert.Equal(ConnectionState.Closed, connection.State);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_drain_without_a_server_ends_at_once_if_nothing_waits(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        TaskCompletionSource<Exception> lost = Wait.Source<Exception>();
        BrokerConnection connection = await Patient.ConnectAsync(
            server.Options with { DrainTimeout = Long, OnDisconnected = (_, e) => lost.TrySetResult(e) }, Token);
        connection.Subscribe("a", static (in MessageView _) => { });
        await server.KillAsync();
        await Wait.For(lost);
        await Wait.For(connection.DrainAsync(Token));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_drain_does_not_wait_for_the_handler_that_drains(bool drainsAlready)
    {
        await using AnyServer server = await AnyServer.StartAsync(ServerKind.Broker);
        BrokerConnection connection = await Patient.ConnectAsync(server.Options with { DrainTimeout = Long }, Token);
        var numbers = new EncodedConnection(connection, TextEncoder.Instance);
        TaskCompletionSource began = Wait.Source();
        TaskCompletionSource drained = Wait.Source();
        TaskCompletionSource others = Wait.Source();
        numbers.Subscribe<int>("n", async _ =>
        {
            if (drainsAlready)
            {
                began.SetResult();
                await Wait.UntilAsync(() => connection.Core.Subscriber.Table.Count == 0, "the other drain");
            }

            await connection.DrainAsync(Token);
            drained.SetResult();
        });
        // Another handler is waited for as before.
        numbers.Subscribe<int>("n", async _ =>
        {
            await Wait.UntilAsync(() => connection.Core.Subscriber.Table.Count == 0, "the drain");
            Assert.NotEqual(ConnectionState.Closed, connection.State);
            others.SetResult();
        });
        numbers.Publish("n", 1);
        if (drainsAlready)
        {
            await Wait.For(began);
            await Wait.For(connection.DrainAsync(Token));
        }

        await Wait.For(drained);
        await Wait.For(others);
    }
}
