using Broker.Transport;
using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Sockets;

public sealed class SocketAllocationTests
{
    private const int Warm = 300_000;
    private const int Measured = 1_000_000;

    // An allocation per message occurs in each round. Other allocations may occur in a single round: a pool that grows,
    // or the runtime's own.
    private const int PerRound = 100_000;
    private const int PerTurn = 200;

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task Publishing_and_receiving_allocate_nothing_per_message(int loops)
    {
        await using var rig = new Rig(loops);
        var meter = new Meter();
        LoopPublisher publisher = rig.Publisher();
        LoopSubscriber subscriber = rig.Subscriber(onMessage: meter.Take);
        subscriber.Subscribe("t"u8);
        subscriber.Connect(publisher.Bind("tcp://127.0.0.1:*").ToString());
        await rig.InterestAsync("+t");
        var pump = new Pump(rig.Loop, publisher, Assert.Single(publisher.Peers));
        pump.Start();
        await Wait.For(meter.Done);

        Assert.Equal(0, publisher.MessagesDropped);
        Assert.Equal((0L, 0L), (pump.Least, meter.Least));
    }

    /// <summary>Publishes some messages per iteration as long as the peer keeps up.</summary>
    private sealed class Pump
    {
        private readonly byte[] _topic = Wire.Ascii("topic");
        private readonly byte[] _body = Wire.Filled(64);
        private readonly EventLoop _loop;
        private readonly LoopPublisher _socket;
        private readonly ZeroMqPeer _peer;
        private readonly Action _turn;
        private int _sent;
        private long _inRound;

        public Pump(EventLoop loop, LoopPublisher socket, ZeroMqPeer peer)
        {
            _loop = loop;
            _socket = socket;
            _peer = peer;
            _turn = Turn;
        }

        /// <summary>The allocations of publishing in the round with the fewest.</summary>
        public long Least { get; private set; } = long.MaxValue;

        public void Start() => _loop.Post(_turn);

        private void Turn()
        {
            int round = _sent / PerRound;
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int i = 0; i < PerTurn && _peer.PendingBytes < 100_000; i++, _sent++)
            {
                _socket.Publish(_loop, _topic, _body);
            }

            _inRound += GC.GetAllocatedBytesForCurrentThread() - before;
            if (_sent / PerRound != round)
            {
                Least = round * PerRound >= Warm ? Math.Min(Least, _inRound) : Least;
                _inRound = 0;
            }

            if (_sent < Warm + Measured)
            {
                _loop.Post(_turn);
            }
        }
    }

    private sealed class Meter
    {
        private int _received;
        private long _before;

        public TaskCompletionSource Done { get; } = Wait.Source();

        /// <summary>The allocations of the thread in the round with the fewest.</summary>
        public long Least { get; private set; } = long.MaxValue;

        public bool Take(ZeroMqPeer peer, in ZmtpMessage message)
        {
            if (++_received % PerRound == 0)
            {
                long now = GC.GetAllocatedBytesForCurrentThread();
                Least = _received > Warm ? Math.Min(Least, now - _before) : Least;
                _before = now;
                if (_received == Warm + Measured)
                {
                    Done.SetResult();
                }
            }

            return true;
        }
    }
}
