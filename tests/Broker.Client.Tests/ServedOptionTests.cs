using System.Text;
using System.Threading.Channels;
using Broker.Client.Tests.Support;
using Broker.Server;
using Broker.Testing;

namespace Broker.Client.Tests;

/// <summary>Options whose effect only a server shows, tested with the real servers.</summary>
public sealed class ServedOptionTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task Without_echo_only_other_connections_receive_what_a_connection_publishes(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options with { Echo = false }, Token);
        await using BrokerConnection other = await Patient.ConnectAsync(server.Options, Token);
        Subscription own = client.Subscribe("a", static (in MessageView _) => { });
        Subscription others = other.Subscribe("a", static (in MessageView _) => { });
        await other.PingAsync(Token);
        client.Publish("a", default);
        await client.PingAsync(Token);
        await other.PingAsync(Token);
        Assert.Equal((0L, 1L), (own.Delivered, others.Delivered));
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_verbose_and_pedantic_connection_works_and_reconnects(ServerKind kind, bool portable)
    {
        const int Messages = 1000;
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        TaskCompletionSource found = Wait.Source();
        await using BrokerConnection client = await Patient.ConnectAsync(
            server.Options with
            {
                Verbose = true,
                Pedantic = true,
                ReconnectDelay = static _ => TimeSpan.FromMilliseconds(10),
                OnReconnected = _ => found.TrySetResult(),
            },
            Token);
        client.Subscribe("echo", static (in MessageView m) => m.Respond(m.Body, m.Headers));
        Subscription few = client.Subscribe("a", static (in MessageView _) => { });
        await using QueuedSubscription queued = client.SubscribeQueued("a");
        few.AutoUnsubscribe(Messages / 2);
        for (int i = 0; i < Messages; i++)
        {
            client.Publish("a", BitConverter.GetBytes(i), headers: new MessageHeaders { ["N"] = "1" });
        }

        await client.PingAsync(Token);
        Assert.Equal((Messages / 2, Messages), (few.Delivered, queued.GetStatistics().Pending));
        Assert.Equal("x"u8.ToArray(), (await client.RequestAsync("echo", "x"u8.ToArray(), Wait.Limit, cancellationToken: Token)).Body.ToArray());
        await Assert.ThrowsAsync<NoRespondersException>(() => client.RequestAsync("nobody", default, Wait.Limit, cancellationToken: Token).AsTask());
        await client.FlushAsync(Token);
        await server.RestartAsync();
        await Wait.For(found);
        Assert.Equal("y"u8.ToArray(), (await client.RequestAsync("echo", "y"u8.ToArray(), Wait.Limit, cancellationToken: Token)).Body.ToArray());
        await queued.DrainAsync(Token);
        ClientStatistics end = client.GetStatistics();
        Assert.Equal((0L, 0L, 0L), (end.Lost, end.Unconfirmed, end.Faults));
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task PINGs_of_the_server_are_answered_while_nobody_reads(ServerKind kind, bool portable)
    {
        const int Answers = 10;
        await using AnyServer server = await AnyServer.StartAsync(
            kind,
            static o => (o.PingInterval, o.PingMax) = (TimeSpan.FromMilliseconds(20), 10_000),
            "ping_interval: \"100ms\"\nping_max: 10000",
            portable);
        await using FaultLink link = server.OpenLink();
        await using BrokerConnection client = await Patient.ConnectAsync(server.Options with { Servers = [$"nats://{link.Address}"] }, Token);
        var few = new QueueOptions { MaxMessages = 10 };
        await using QueuedSubscription unread = client.SubscribeQueued("a", few);
        TaskCompletionSource gate = Wait.Source();
        await using HandlerBinding stuck = new EncodedConnection(client, RawEncoder.Instance).Subscribe<byte[]>("a", async _ => await gate.Task, few);
        await using IAsyncEnumerator<Message> left = client.ReadAsync("a", few, cancellationToken: Token).GetAsyncEnumerator(Token);
        ValueTask<bool> first = left.MoveNextAsync();
        for (int i = 0; i < 1000; i++)
        {
            client.Publish("a", "0123456789"u8);
        }

        await client.PingAsync(Token);
        Assert.True(await Wait.For(first.AsTask()));

        // The client sends nothing on its own now, so all bytes that it sends are answers.
        long before = link.GetPassedBytes(LinkDirection.ToServer);
        await Wait.UntilAsync(() => link.GetPassedBytes(LinkDirection.ToServer) - before >= Answers * "PONG\r\n".Length, "the answers");
        Assert.Equal((ConnectionState.Connected, 0L), (client.State, client.GetStatistics().Reconnects));
        Assert.Equal(990, unread.GetStatistics().Dropped);
        gate.SetResult();
    }

    [Theory]
    [InlineData(ServerKind.Broker)]
    [InlineData(ServerKind.Nats)]
    public async Task Refused_credentials_are_retried_until_the_server_accepts_them_if_the_options_say_so(ServerKind kind)
    {
        const int Refusals = 4;
        string password = "other";
        NatsServer? theirs = kind == ServerKind.Nats ? NatsServer.Start("--user", "u", "--pass", password) : null;
        await using AnyServer? ours = kind == ServerKind.Nats ? null : await AnyServer.StartAsync(kind, o => o.Users = [new User("u", password)]);
        try
        {
            int refused = 0;
            TaskCompletionSource often = Wait.Source();
            TaskCompletionSource found = Wait.Source();
            await using BrokerConnection client = await Patient.ConnectAsync(
                new()
                {
                    Servers = [theirs?.Url ?? ours!.Url],
                    User = "u",
                    Password = "right",
                    FirstConnect = FirstConnect.Background,
                    RetryRefused = true,
                    ReconnectDelay = static _ => TimeSpan.FromMilliseconds(10),
                    OnConnectFailed = (_, e) =>
                    {
                        if (e is AuthorizationException && ++refused == Refusals)
                        {
                            often.SetResult();
                        }
                    },
                    OnReconnected = _ => found.TrySetResult(),
                },
                Token);
            await Wait.For(often);
            password = "right";
            if (theirs is not null)
            {
                theirs.Kill();
                var next = NatsServer.StartAt(theirs.Port, "--user", "u", "--pass", password);
                theirs.Dispose();
                theirs = next;
            }
            else
            {
                await ours!.RestartAsync();
            }

            await Wait.For(found);
            await client.PingAsync(Token);
        }
        finally
        {
            theirs?.Dispose();
        }
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_first_connect_waits_until_a_server_starts(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await server.KillAsync();
        TaskCompletionSource tried = Wait.Source();
        Task<BrokerConnection> connecting = Patient.ConnectAsync(
            server.Options with
            {
                FirstConnect = FirstConnect.Retry,
                ReconnectDelay = passes =>
                {
                    if (passes == 3)
                    {
                        tried.TrySetResult();
                    }

                    return TimeSpan.FromMilliseconds(10);
                },
            },
            Token);
        await Wait.For(tried);
        Assert.False(connecting.IsCompleted);
        await server.RestartAsync();
        await using BrokerConnection client = await Wait.For(connecting);
        Assert.Equal(ConnectionState.Connected, client.State);
        await client.PingAsync(Token);
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_first_connect_in_the_background_buffers_messages_until_a_server_starts(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind, portable);
        await server.KillAsync();
        TaskCompletionSource failed = Wait.Source();
        TaskCompletionSource found = Wait.Source();
        await using BrokerConnection client = await Patient.ConnectAsync(
            server.Options with
            {
                FirstConnect = FirstConnect.Background,
                ReconnectDelay = static _ => TimeSpan.FromMilliseconds(10),
                OnConnectFailed = (_, _) => failed.TrySetResult(),
                OnReconnected = _ => found.TrySetResult(),
            },
            Token);
        Assert.Equal(ConnectionState.Reconnecting, client.State);
        await Wait.For(failed);
        var got = Channel.CreateUnbounded<string>();
        client.Subscribe("a", (in MessageView m) => got.Writer.TryWrite(Encoding.UTF8.GetString(m.Body)));
        client.Publish("a", "first"u8);
        client.Publish("a", "second"u8, headers: new MessageHeaders { ["Kept"] = "1" });
        await server.RestartAsync();
        Assert.Equal("first", await Wait.For(got.Reader.ReadAsync(Token).AsTask()));
        Assert.Equal("second", await Wait.For(got.Reader.ReadAsync(Token).AsTask()));
        await Wait.For(found);
        Assert.Equal((ConnectionState.Connected, 0L), (client.State, client.GetStatistics().Lost));
    }

    [Theory]
    [ClassData(typeof(EveryServer))]
    public async Task A_server_that_a_real_server_listed_is_used_after_a_loss(ServerKind kind, bool portable)
    {
        int near = FreePort.Next();
        int far = FreePort.Next();
        await using AnyServer second = await AnyServer.StartAsync(kind, null, Cluster(near, far), portable);
        string told = $"127.0.0.1:{second.Port}";
        await using AnyServer first = await AnyServer.StartAsync(kind, o => o.ConnectUrls = [told], Cluster(far, near), portable);
        TaskCompletionSource learnt = Wait.Source();
        TaskCompletionSource found = Wait.Source();
        await using BrokerConnection client = await Patient.ConnectAsync(
            first.Options with
            {
                ReconnectDelay = static _ => TimeSpan.FromMilliseconds(10),
                OnServersDiscovered = (_, urls) =>
                {
                    if (urls.Contains(told))
                    {
                        learnt.TrySetResult();
                    }
                },
                OnReconnected = _ => found.TrySetResult(),
            },
            Token);
        await Wait.For(learnt);
        await first.KillAsync();
        await Wait.For(found);
        Assert.Equal(told, client.Server);
        await client.PingAsync(Token);

        static string Cluster(int own, int peer)
            => $"cluster {{ name: pair\n listen: \"127.0.0.1:{own}\"\n routes: [ \"nats://127.0.0.1:{peer}\" ] }}";
    }

    [Fact]
    public async Task A_name_is_shown_by_nats_server()
    {
        using var server = NatsServer.Start("-m", "-1");
        await using BrokerConnection client = await Patient.ConnectAsync(new() { Servers = [server.Url], Name = "kitchen \"1\"" }, Token);
        Assert.Contains("kitchen \\\"1\\\"", await server.Http.GetStringAsync(new Uri("connz", UriKind.Relative), Token), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_name_is_shown_by_this_broker()
    {
        await using BrokerServer server = await BrokerServer.StartAsync(static _ => { }, Token);
        await using BrokerConnection client = await Patient.ConnectAsync(new() { Dialer = server.CreateDialer(), Name = "kitchen" }, Token);
        Assert.Equal("kitchen", Assert.Single((await server.InspectConnectionsAsync(cancellationToken: Token)).Connections).Name);
    }
}
