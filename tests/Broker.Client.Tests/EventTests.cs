using Broker.Client.Tests.Support;
using Broker.Testing;

namespace Broker.Client.Tests;

/// <summary>
/// Every event may have any number of handlers, in addition to the callback of the options. A handler that throws does
/// not affect the others.
/// </summary>
public sealed class EventTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    /// <summary>
    /// The handlers of one event: one in the options, two on the event, one that throws, and one that was removed in
    /// time.
    /// </summary>
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

        /// <summary>
        /// Adds the handlers with the accessors of the event. The shape converts an action to the delegate type of the
        /// event.
        /// </summary>
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
    public async Task All_handlers_are_called_for_a_loss_a_reconnect_a_slow_reader_a_fault_and_the_close(ServerKind kind, bool portable)
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
        // The exception of the throwing handler was itself a fault.
        await HeardByAllAsync(fault);
        link.Cut();
        await HeardByAllAsync(disconnected);
        await HeardByAllAsync(reconnecting);
        await HeardByAllAsync(reconnected);
        await Wait.For(client.CloseAsync());
        await HeardByAllAsync(closed);
    }

    [Fact]
    public async Task All_handlers_are_called_for_other_servers_a_lame_duck_a_server_error_and_space()
    {
        using var full = new ManualResetEventSlim();
        using var server = new FakeServer(peer =>
        {
            peer.ShakeHands();
            // A SUB shows that all handlers have been added.
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
                OnServersDiscovered = (_, _) => learnt.Hear("options"),
                OnLameDuck = _ => lame.Hear("options"),
                OnServerError = (_, _) => error.Hear("options"),
                OnWritable = _ => writable.Hear("options"),
            },
            Token);
        learnt.Join<Action<BrokerConnection, IReadOnlyList<string>>>(l => client.ServersDiscovered += l, l => client.ServersDiscovered -= l, hear => (_, _) => hear());
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
