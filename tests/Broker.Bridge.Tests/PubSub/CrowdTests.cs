using System.Globalization;
using Broker.Bridge.Tests.PubSub.Support;
using Broker.Client;
using Broker.Transport;
using Broker.ZeroMq;
using Broker.ZeroMq.Loops;

namespace Broker.Bridge.Tests.PubSub;

/// <summary>
/// One bridge with some hundred programs, or BROKER_PEERS: each program receives exactly its own messages.
/// </summary>
public sealed class CrowdTests
{
    private const int Usual = 300;
    private const int OwnMessages = 20;

    private static int Peers => int.TryParse(Environment.GetEnvironmentVariable("BROKER_PEERS"), CultureInfo.InvariantCulture, out int peers) ? peers : Usual;

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task Very_many_programs_receive_their_messages_and_a_native_client_receives_all(int loops)
    {
        int pairs = Peers / 2;
        await using Site site = await Site.StartAsync(loops, o => o with { MaxPeers = Peers });
        using var crowdLoops = new EventLoopGroup(new EventLoopOptions { Loops = 1, ThreadName = "crowd" });
        await using var crowd = new Crowd(crowdLoops, pairs, site.Route);
        await using var foreign = new PySubscriber(site.Route.SubscriberEndpoints[0]);
        await foreign.SubscribeAsync("all.");
        BrokerConnection native = await site.ClientAsync();
        long atNative = 0;
        native.Subscribe("zmq.>", (in message) =>
        {
            if (!message.Body.StartsWith(Shapes.Probe))
            {
                Interlocked.Increment(ref atNative);
            }
        });
        await native.FlushAsync(TestContext.Current.CancellationToken);

        // Each SUB receives its own topic and the common one, each PUB has the bridge's subscription, and the native
        // client receives the common topic.
        await Wait.UntilAsync(() => crowd.ReadyPublishers == pairs, () => $"{crowd.ReadyPublishers} publishers of {pairs}, {site.Route.Snapshot()}");
        Task foreignHears = foreign.HearAsync();
        await Wait.UntilAsync(
            () => crowd.IsReady && foreignHears.IsCompleted,
            () => $"some subscriber of {pairs} is not served, {site.Route.Snapshot()}",
            () =>
            {
                for (int i = 0; i < pairs; i++)
                {
                    native.PublishWithStatus(site.Subject($"t{i}.p"), Shapes.Probe);
                }

                native.PublishWithStatus(site.Subject("all.p"), Shapes.Probe);
            });
        await foreignHears;
        Assert.Equal((pairs, pairs + 1), (site.Route.Snapshot().Publishers, site.Route.Snapshot().Subscribers));

        // From ZeroMQ: its own message for each SUB, and one message of each PUB for all.
        await crowd.PublishAsync();
        await Wait.UntilAsync(() => crowd.Received == pairs * (OwnMessages + (long)pairs), () => $"{crowd.Received}, {site.Route.Snapshot()}");
        await Wait.UntilAsync(() => Volatile.Read(ref atNative) == pairs * (OwnMessages + 1L), () => $"{atNative}, {site.Route.Snapshot()}");
        crowd.AssertEachHas(OwnMessages, pairs);
        string[] atForeign = await foreign.ReceiveAsync(pairs);
        Assert.Equal(Enumerable.Range(0, pairs).Select(i => $"all.x {i}").Order(StringComparer.Ordinal), atForeign.Order(StringComparer.Ordinal));

        // From NATS.
        for (int i = 0; i < pairs; i++)
        {
            native.Publish(site.Subject($"t{i}.x"), "native"u8);
        }

        native.Publish(site.Subject("all.x"), "native"u8);
        await Wait.UntilAsync(() => crowd.Received == pairs * (OwnMessages + 2L + pairs), () => $"{crowd.Received}, {site.Route.Snapshot()}");
        crowd.AssertEachHas(OwnMessages + 1, pairs + 1);
        Assert.Equal(["all.x native"], await foreign.ReceiveAsync(1));
        PubSubRouteSnapshot end = site.Route.Snapshot();
        Assert.Equal((pairs * (OwnMessages + 1L), 0L, 0L), (end.ToSubjects, end.Dropped, end.Refused));
    }

    /// <summary>Many PUBs and SUBs on one loop.</summary>
    private sealed class Crowd : IAsyncDisposable
    {
        private readonly EventLoopGroup _loops;
        private readonly LoopPublisher[] _publishers;
        private readonly LoopSubscriber[] _subscribers;

        // For each SUB: the number of messages of its own topic and of the common one, and of the probes of both.
        // Written on the crowd's loop.
        private readonly int[] _own;
        private readonly int[] _common;
        private readonly bool[] _hasOwnProbe;
        private readonly bool[] _hasCommonProbe;
        private int _readyPublishers;
        private long _received;

        public Crowd(EventLoopGroup loops, int pairs, PubSubRoute route)
        {
            _loops = loops;
            _own = new int[pairs];
            _common = new int[pairs];
            _hasOwnProbe = new bool[pairs];
            _hasCommonProbe = new bool[pairs];
            _subscribers = [.. Enumerable.Range(0, pairs).Select(i => Subscriber(i, route.SubscriberEndpoints[0]))];
            _publishers = [.. Enumerable.Range(0, pairs).Select(_ => Publisher(route.PublisherEndpoints[0]))];
        }

        public int ReadyPublishers => Volatile.Read(ref _readyPublishers);

        public bool IsReady => Array.TrueForAll(_hasOwnProbe, ready => ready) && Array.TrueForAll(_hasCommonProbe, ready => ready);

        public long Received => Volatile.Read(ref _received);

        public async Task PublishAsync()
        {
            for (int i = 0; i < _publishers.Length; i++)
            {
                int who = i;
                TaskCompletionSource done = Wait.Source();
                _loops[0].Post(() =>
                {
                    for (int n = 0; n < OwnMessages; n++)
                    {
                        _publishers[who].Publish(_loops[0], Shapes.Bytes($"t{who}.x"), Shapes.Bytes(Shapes.Number(n)));
                    }

                    _publishers[who].Publish(_loops[0], "all.x"u8, Shapes.Bytes(Shapes.Number(who)));
                    done.SetResult();
                });
                await Wait.For(done);
            }
        }

        public void AssertEachHas(int own, int common)
        {
            Assert.All(_own, count => Assert.Equal(own, count));
            Assert.All(_common, count => Assert.Equal(common, count));
        }

        public async ValueTask DisposeAsync()
        {
            foreach (LoopSocket socket in _publishers.Concat<LoopSocket>(_subscribers))
            {
                await socket.DisposeAsync();
            }
        }

        private LoopPublisher Publisher(string endpoint)
        {
            var socket = new LoopPublisher(_loops, new LoopPublisherOptions { OnInterest = (_, _) => Interlocked.Increment(ref _readyPublishers) });
            socket.Connect(endpoint);
            return socket;
        }

        private LoopSubscriber Subscriber(int index, string endpoint)
        {
            var socket = new LoopSubscriber(_loops, (ZeroMqPeer _, in ZmtpMessage message) =>
            {
                ReadOnlySpan<byte> topic = default;
                ReadOnlySpan<byte> body = default;
                foreach (ZmtpFrame frame in message)
                {
                    topic = topic.IsEmpty ? frame.Body : topic;
                    body = frame.Body;
                }

                bool isOwn = topic[0] == (byte)'t';
                if (body.StartsWith(Shapes.Probe))
                {
                    (isOwn ? _hasOwnProbe : _hasCommonProbe)[index] = true;
                    return true;
                }

                (isOwn ? _own : _common)[index]++;
                Interlocked.Increment(ref _received);
                return true;
            });
            socket.Subscribe(Shapes.Bytes($"t{index}."));
            socket.Subscribe("all."u8);
            socket.Connect(endpoint);
            return socket;
        }
    }
}
