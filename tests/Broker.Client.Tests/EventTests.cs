using Broker.Client.Tests.Support;
using Broker.Testing;

namespace Broker.Client.Tests;

/// <summary>A callback may consist of several delegates. A delegate that throws does not affect the others.</summary>
public sealed class EventTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    /// <summary>The delegates of one callback: three that are counted, and one that throws.</summary>
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

        internal static string[] Expected => ["first", "second", "third"];

        private void Hear(string who)
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
        /// Combines the delegates. The shape converts an action to the delegate type of the callback.
        /// </summary>
        internal T Combine<T>(Func<Action, T> shape)
            where T : Delegate
            => (T)Delegate.Combine(
                shape(() => Hear("first")),
                shape(static () => throw new InvalidDataException("a bad listener")),
                shape(() => Hear("second")),
                shape(() => Hear("third")))!;
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
                OnDisconnected = disconnected.Combine<Action<BrokerConnection, Exception>>(hear => (_, _) => hear()),
                OnReconnecting = reconnecting.Combine<Action<BrokerConnection, string>>(hear => (_, _) => hear()),
                OnReconnected = reconnected.Combine<Action<BrokerConnection>>(hear => _ => hear()),
                OnSlowConsumer = slow.Combine<Action<BrokerConnection, QueuedSubscription>>(hear => (_, _) => hear()),
                OnFault = fault.Combine<Action<Subscription?, Exception>>(hear => (_, _) => hear()),
                OnClosed = closed.Combine<Action<BrokerConnection>>(hear => _ => hear()),
            },
            Token);

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
                OnServersDiscovered = learnt.Combine<Action<BrokerConnection, IReadOnlyList<string>>>(hear => (_, _) => hear()),
                OnLameDuck = lame.Combine<Action<BrokerConnection>>(hear => _ => hear()),
                OnServerError = error.Combine<Action<BrokerConnection, string>>(hear => (_, _) => hear()),
                OnWritable = writable.Combine<Action<BrokerConnection>>(hear => _ => hear()),
            },
            Token);

        client.Subscribe("a", static (in _) => { });
        await HeardByAllAsync(learnt);
        await HeardByAllAsync(lame);
        await HeardByAllAsync(error);
        byte[] body = new byte[10_000];
        while (client.PublishWithStatus("a"u8, body) == PublishStatus.Accepted)
        {
        }

        full.Set();
        await HeardByAllAsync(writable);
    }
}
