using System.Text;
using Broker.Client.Tests.Support;

namespace Broker.Client.Tests.Servers;

public sealed class ReconnectTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private sealed class Watch
    {
        public TaskCompletionSource<Exception> Lost { get; } = Wait.Source<Exception>();

        public TaskCompletionSource Found { get; } = Wait.Source();

        public TaskCompletionSource Closed { get; } = Wait.Source();

        public ClientOptions Options(ClientOptions server) => server with
        {
            ReconnectWait = TimeSpan.FromMilliseconds(20),
            MaxReconnectWait = TimeSpan.FromMilliseconds(100),
            ReconnectJitter = TimeSpan.FromMilliseconds(5),
            OnDisconnected = (_, e) => Lost.TrySetResult(e),
            OnReconnected = _ => Found.TrySetResult(),
            OnClosed = _ => Closed.TrySetResult(),
        };
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Subscriptions_continue_with_the_next_server(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        var watch = new Watch();
        await using BrokerConnection connection = await Patient.ConnectAsync(watch.Options(server.Options), Token);
        var counter = new Counter(100);
        connection.Subscribe("a.*", counter.Take, "q");
        connection.Subscribe("ended", (in MessageView _) => { }).Unsubscribe();
        Subscription limited = connection.Subscribe("limited", (in MessageView _) => { });
        limited.AutoUnsubscribe(5);
        connection.Publish("limited", default);
        connection.Publish("limited", default);
        await connection.PingAsync(Token);
        await server.KillAsync();
        Assert.IsType<ConnectionLostException>(await Wait.For(watch.Lost));
        await server.RestartAsync();
        await Wait.For(watch.Found);
        // The server has the subscriptions before another connection publishes to them.
        await connection.PingAsync(Token);
        await using BrokerConnection other = await Patient.ConnectAsync(server.Options, Token);
        for (int i = 0; i < 100; i++)
        {
            other.Publish("a.b", default);
            other.Publish("limited", default);
        }

        await counter.Complete;
        await connection.PingAsync(Token);
        Assert.Equal(5, limited.Delivered);
        Assert.Equal(1, connection.GetStatistics().Reconnects);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Messages_that_were_buffered_while_disconnected_arrive_in_order_after_the_subscriptions(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        var watch = new Watch();
        await using BrokerConnection connection = await Patient.ConnectAsync(watch.Options(server.Options), Token);
        var got = new List<string>();
        await server.KillAsync();
        await Wait.For(watch.Lost);
        connection.Subscribe("a", (in MessageView m) => got.Add(Encoding.UTF8.GetString(m.Body)));
        for (int i = 0; i < 20_000; i++)
        {
            connection.Publish("a", Encoding.UTF8.GetBytes($"{i}"));
        }

        Assert.NotEqual(0, connection.GetStatistics().PendingBytes);
        await server.RestartAsync();
        await Wait.For(watch.Found);
        await connection.PingAsync(Token);
        Assert.Equal(Enumerable.Range(0, 20_000).Select(i => $"{i}"), got);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_full_buffer_refuses_messages_and_keeps_its_content(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        var watch = new Watch();
        await using BrokerConnection connection = await Patient.ConnectAsync(
            watch.Options(server.Options) with { ReconnectBufferSize = 10_000 }, Token);
        Subscription subscription = connection.Subscribe("a", (in MessageView _) => { });
        await server.KillAsync();
        await Wait.For(watch.Lost);
        int kept = 0;
        while (connection.PublishWithStatus("a"u8, new byte[100]) == PublishStatus.Accepted)
        {
            kept++;
        }

        Assert.InRange(kept, 50, 100);
        Assert.Equal(PublishStatus.BufferFull, Assert.Throws<PublishRefusedException>(() => connection.Publish("a", new byte[100])).Status);
        await server.RestartAsync();
        await Wait.For(watch.Found);
        await connection.PingAsync(Token);
        Assert.Equal(kept, subscription.Delivered);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task The_policy_decides_whether_messages_are_dropped_or_refused_while_disconnected(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        var dropping = new Watch();
        var refusing = new Watch();
        await using BrokerConnection drops = await Patient.ConnectAsync(
            dropping.Options(server.Options) with { WhileDisconnected = PublishWhileDisconnected.Drop }, Token);
        await using BrokerConnection refuses = await Patient.ConnectAsync(
            refusing.Options(server.Options) with { WhileDisconnected = PublishWhileDisconnected.Refuse }, Token);
        await server.KillAsync();
        await Wait.For(dropping.Lost);
        await Wait.For(refusing.Lost);
        for (int i = 0; i < 10; i++)
        {
            Assert.Equal(PublishStatus.Dropped, drops.PublishWithStatus("a"u8, default));
            Assert.Equal(PublishStatus.NotConnected, refuses.PublishWithStatus("a"u8, default));
        }

        drops.Publish("a", default);
        Assert.Equal(PublishStatus.NotConnected, Assert.Throws<PublishRefusedException>(() => refuses.Publish("a", default)).Status);
        Assert.Equal(11, drops.GetStatistics().Dropped);
        Assert.Equal(0, drops.GetStatistics().MessagesOut);
        await Assert.ThrowsAsync<ConnectionLostException>(() => drops.RequestAsync("a", default, Wait.Limit, cancellationToken: Token).AsTask());
        await Assert.ThrowsAsync<ConnectionLostException>(() => drops.PingAsync(Token));
    }

    [Fact]
    public async Task Barriers_and_requests_fail_when_the_server_is_lost()
    {
        using var stuck = new FakeServer(peer =>
        {
            peer.ShakeHands();
            // The inbox's SUB, the request and its payload, and the PING.
            while (peer.ReadLine() != "PING")
            {
            }
        });
        var watch = new Watch();
        await using BrokerConnection connection = await Patient.ConnectAsync(watch.Options(stuck.Options), Token);
        Task request = connection.RequestAsync("a", default, Wait.Limit, cancellationToken: Token).AsTask();
        Task ping = connection.PingAsync(Token);
        await Assert.ThrowsAsync<ConnectionLostException>(() => Wait.For(request));
        await Assert.ThrowsAsync<ConnectionLostException>(() => Wait.For(ping));
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task It_closes_when_the_attempts_are_used_up(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        var watch = new Watch();
        await using BrokerConnection connection = await Patient.ConnectAsync(
            watch.Options(server.Options) with { MaxReconnectAttempts = 3 }, Token);
        await server.KillAsync();
        await Wait.For(watch.Closed);
        Assert.Equal(ConnectionState.Closed, connection.State);
        Assert.Equal(PublishStatus.Closed, connection.PublishWithStatus("a"u8, default));
        await connection.CloseAsync();
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Without_reconnect_attempts_a_loss_closes_the_connection(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        var watch = new Watch();
        await using BrokerConnection connection = await Patient.ConnectAsync(
            watch.Options(server.Options) with { MaxReconnectAttempts = 0 }, Token);
        await server.KillAsync();
        await Wait.For(watch.Lost);
        await Wait.For(watch.Closed);
    }

    [Fact]
    public async Task It_closes_when_the_credentials_are_no_longer_valid()
    {
        int clients = 0;
        using var server = new FakeServer(peer =>
        {
            if (Interlocked.Increment(ref clients) == 1)
            {
                peer.ShakeHands();
                peer.Send("-ERR 'User Authentication Expired'\r\n");
                return;
            }

            peer.Send(FakeServer.PlainInfo);
            peer.ReadRequest();
            peer.Send("-ERR 'Authorization Violation'\r\n");
        });
        var watch = new Watch();
        await using BrokerConnection connection = await Patient.ConnectAsync(watch.Options(server.Options), Token);
        Assert.IsType<AuthorizationException>(await Wait.For(watch.Lost));
        await Wait.For(watch.Closed);
        Assert.Equal(2, clients);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_server_that_another_server_listed_is_used_after_a_loss(ServerKind kind, bool portable)
    {
        await using AnyServer second = await AnyServer.StartAsync(kind, portable);
        string told = $"127.0.0.1:{second.Port}";
        using var end = new ManualResetEventSlim();
        using var first = new FakeServer(peer =>
        {
            peer.ShakeHands();
            peer.Send($"INFO {{\"headers\":true,\"connect_urls\":[\"{told}\",\"::garbage\"],\"ldm\":true}} \r\n");
            end.Wait(Wait.Limit);
        });
        var watch = new Watch();
        TaskCompletionSource<IReadOnlyList<string>> learnt = Wait.Source<IReadOnlyList<string>>();
        TaskCompletionSource lame = Wait.Source();
        await using BrokerConnection connection = await Patient.ConnectAsync(
            watch.Options(second.Options with { Servers = [first.Url] }) with { OnServersDiscovered = (_, urls) => learnt.TrySetResult(urls), OnLameDuck = _ => lame.TrySetResult() },
            Token);
        Assert.Contains(told, await Wait.For(learnt));
        await Wait.For(lame);
        first.Dispose();
        end.Set();
        await Wait.For(watch.Found);
        Assert.Equal(told, connection.Server);
        await connection.PingAsync(Token);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task OnLameDuck_is_called_when_the_server_enters_lame_duck_mode(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        TaskCompletionSource lame = Wait.Source();
        await using BrokerConnection connection = await Patient.ConnectAsync(
            server.Options with { OnLameDuck = _ => lame.TrySetResult() }, Token);
        server.EnterLameDuck(Token);
        await Wait.For(lame);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Publishing_through_a_restart_never_sends_a_message_twice(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        var watch = new Watch();
        await using BrokerConnection connection = await Patient.ConnectAsync(watch.Options(server.Options), Token);
        var seen = new HashSet<int>();
        int twice = 0;
        connection.Subscribe("a", (in MessageView m) => twice += seen.Add(BitConverter.ToInt32(m.Body)) ? 0 : 1);
        int sent = 0;
        bool restarted = false;
        for (long end = Environment.TickCount64 + (long)Wait.Limit.TotalMilliseconds; !watch.Found.Task.IsCompleted;)
        {
            Assert.True(Environment.TickCount64 < end, $"{connection.State}, {sent} sent");
            if (connection.PublishWithStatus("a"u8, BitConverter.GetBytes(sent)) == PublishStatus.Accepted)
            {
                sent++;
            }

            if (sent == 50_000 && !restarted)
            {
                restarted = true;
                await server.KillAsync();
                await Wait.For(watch.Lost);
                await server.RestartAsync();
            }

            Token.ThrowIfCancellationRequested();
        }

        await connection.FlushAsync(Token);
        Assert.Equal(0, twice);
        Assert.InRange(seen.Count, 1, sent);
    }
}
