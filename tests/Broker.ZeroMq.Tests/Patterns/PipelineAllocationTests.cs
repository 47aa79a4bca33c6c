using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Sockets;

namespace Broker.ZeroMq.Tests.Patterns;

public sealed class PipelineAllocationTests
{
    private const int Warm = 300_000;
    private const int Measured = 1_000_000;

    // An allocation per message occurs in each round. Other allocations may occur in a single round: a pool that grows,
    // or the runtime's own.
    private const int PerRound = 100_000;

    [Fact]
    public async Task Pushing_and_pulling_allocate_nothing_per_message()
    {
        await using var rig = new Rig();
        var meter = new Meter();
        LoopPull pull = rig.Pull(onMessage: meter.Take);
        LoopPush push = rig.Push();
        byte[] body = new byte[64];
        int sent = 0;
        Action go = null!;
        go = () =>
        {
            for (int i = 0; i < 500 && sent < Warm + Measured; i++, sent++)
            {
                if (!push.TrySend(body))
                {
                    return;
                }
            }

            if (sent < Warm + Measured)
            {
                rig.Loop.Post(go);
            }
        };
        push.OnWritable = go;
        push.Connect(pull.Bind("tcp://127.0.0.1:*").ToString());
        await rig.ConnectedAsync();
        rig.Loop.Post(go);
        await Wait.For(meter.Done);

        // All the work is done on the loop's thread.
        Assert.Equal(0, meter.Least);
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
