using Broker.Client.Publishing;
using Broker.Client.Subscriptions;
using Broker.Client.Tests.Support;
using Broker.Testing.Links;

namespace Broker.Client.Tests;

/// <summary>Every event has any number of listeners, and the callback of the options besides: what one of them does costs the others nothing.</summary>
public sealed class EventTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    /// <summary>Those who listen to one event: by the options, twice by the event, once with an exception, and one who left in time.</summary>
    private sealed class Listeners
    {
        private readonly HashSet<string> _heard = [];
        private readonly TaskCompletionSource _all = Wait.Source();

        internal string[] Heard
        {
            get
            {
                lock (_heard)
                {
                    return [.. _heard.Order(StringComparer.Ordinal)];
                }
            }
        }

        internal Task All => Wait.For(_all);

        internal static string[] Expected => ["first", "options", "second"];

        internal void Hear(string who)
        {
            lock (_heard)
            {
                _heard.Add(who);
                if (_heard.Count == Expected.Length)
                {
                    _all.TrySetResult();
                }
            }
        }

        /// <summary>Adds them by the event's own accessors, with the action that a listener's shape is made of.</summary>
        internal void Join<T>(Action<T> add, Action<T> remove, Func<Action, T> shape)
        {
            T gone = shape(() => Hear("who had left"));
            add(shape(() => Hear("first")));
            add(gone);
            add(shape(static () => throw new InvalidDataException("a bad listener")));
            add(shape(() => Hear("second")));
            remove(gone);
        }
    }

    private static async Task HeardByAllAsync(Listeners listeners)
    {
        await listeners.All;
        Assert.Equal(Listeners.Expected, listeners.Heard);
    }

    [Theory]
    [InlineData(ServerKind.Broker, false)]
    [InlineData(ServerKind.Broker, true)]
    [InlineData(ServerKind.Nats, false)]
    [InlineData(ServerKind.Nats, true)]
    public async Task Of_the_loss_of_a_server_the_way_back_a_slow_reader_a_fault_and_the_end(ServerKind kind, bool portable)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        await using FaultLink link = server.OpenLink();
        using var group = new Transport.EventLoopGroup(new Transport.EventLoopOptions { Loops = 1, ForcePortable = portable });
        Listeners disconnected = new();
        Listeners reconnecting = new();
        Listeners reconnected = new();
        Listeners slow = new();
        Listeners fault = new();
        Listeners closed = new();
        await using BrokerConnection client = await Patient.ConnectAsync(
            new()
            {
                Servers = [$"nats://{link.Address}"],
                Loops = group,
                ReconnectDelay = _ => TimeSpan.FromMilliseconds(1),
                OnDisconnected = (_, _) => disconnected.Hear("options"),
                OnReconnecting = (_, _) => reconnecting.Hear("options"),
                OnReconnected = _ => reconnected.Hear("options"),
                OnSlowConsumer = (_, _) => slow.Hear("options"),
                OnFault = (_, _) => fault.Hear("options"),
                OnClosed = _ => closed.Hear("options"),
            },
            Token);
        disconnected.Join<Action<BrokerConnection, Exception>>(l => client.Disconnected += l, l => client.Disconnected -= l, hear => (_, _) => hear());
        reconnecting.Join<Action<BrokerConnection, string>>(l => client.Reconnecting += l, l => client.Reconnecting -= l, hear => (_, _) => hear());
        reconnected.Join<Action<BrokerConnection>>(l => client.Reconnected += l, l => client.Reconnected -= l, hear => _ => hear());
        slow.Join<Action<BrokerConnection, QueuedSubscription>>(l => client.SlowConsumer += l, l => client.SlowConsumer -= l, hear => (_, _) => hear());
        fault.Join<Action<Subscription?, Exception>>(l => client.Fault += l, l => client.Fault -= l, hear => (_, _) => hear());
        closed.Join<Action<BrokerConnection>>(l => client.Closed += l, l => client.Closed -= l, hear => _ => hear());

        await using QueuedSubscription stopped = client.SubscribeQueued("a", new QueueOptions { MaxMessages = 1 });
        client.Publish("a", default);
        client.Publish("a", default);
        await HeardByAllAsync(slow);
        // The listener that threw was itself a fault.
        await HeardByAllAsync(fault);
        link.Cut();
        await HeardByAllAsync(disconnected);
        await HeardByAllAsync(reconnecting);
        await HeardByAllAsync(reconnected);
        await Wait.For(client.CloseAsync());
        await HeardByAllAsync(closed);
    }

    [Fact]
    public async Task Of_other_servers_a_lame_duck_an_error_of_the_server_and_room()
    {
        using var full = new ManualResetEventSlim();
        using var server = new FakeServer(peer =>
        {
            peer.ShakeHands();
            // A SUB says that all have joined.
            peer.ReadLine();
            peer.Send("INFO {\"headers\":true,\"connect_urls\":[\"127.0.0.1:1\"],\"ldm\":true} \r\n-ERR 'Permissions Violation for Publish to \"a\"'\r\n");
            full.Wait(Wait.Limit);
            peer.Discard();
        });
        Listeners learnt = new();
        Listeners lame = new();
        Listeners error = new();
        Listeners writable = new();
        await using BrokerConnection client = await Patient.ConnectAsync(
            new()
            {
                Servers = [server.Url],
                MaxPendingBytes = 1024 * 1024,
                WriteDeadline = Timeout.InfiniteTimeSpan,
                DrainTimeout = TimeSpan.FromMilliseconds(50),
                OnServersLearnt = (_, _) => learnt.Hear("options"),
                OnLameDuck = _ => lame.Hear("options"),
                OnServerError = (_, _) => error.Hear("options"),
                OnWritable = _ => writable.Hear("options"),
            },
            Token);
        learnt.Join<Action<BrokerConnection, IReadOnlyList<string>>>(l => client.ServersLearnt += l, l => client.ServersLearnt -= l, hear => (_, _) => hear());
        lame.Join<Action<BrokerConnection>>(l => client.LameDuck += l, l => client.LameDuck -= l, hear => _ => hear());
        error.Join<Action<BrokerConnection, string>>(l => client.ServerError += l, l => client.ServerError -= l, hear => (_, _) => hear());
        writable.Join<Action<BrokerConnection>>(l => client.Writable += l, l => client.Writable -= l, hear => _ => hear());

        client.Subscribe("a", static (in _) => { });
        await HeardByAllAsync(learnt);
        await HeardByAllAsync(lame);
        await HeardByAllAsync(error);
        byte[] body = new byte[10_000];
        while (client.TryPublish("a"u8, body) == PublishStatus.Accepted)
        {
        }

        full.Set();
        await HeardByAllAsync(writable);
    }
}
