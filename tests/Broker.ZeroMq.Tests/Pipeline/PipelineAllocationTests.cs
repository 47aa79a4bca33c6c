using Broker.ZeroMq.Sockets;
using Broker.ZeroMq.Tests.Sockets;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Tests.Pipeline;

public sealed class PipelineAllocationTests
{
    private const int Warm = 300_000;
    private const int Measured = 1_000_000;

    [Fact]
    public async Task Pushing_and_pulling_allocate_nothing_per_message()
    {
        await using var rig = new Rig();
        var meter = new Meter();
        var pull = rig.Pull(onMessage: meter.Take);
        var push = rig.Push();
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
        await meter.Done.Task.WaitAsync(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken);

        // All of it happens on the loop's thread; a depot of blocks grows a little now and then.
        Assert.InRange(meter.Allocated, 0, 4096);
    }

    private sealed class Meter
    {
        private int _received;
        private long _before;

        public TaskCompletionSource Done { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public long Allocated { get; private set; }

        public bool Take(ZeroMqPeer peer, in ZmtpMessage message)
        {
            if (++_received == Warm)
            {
                _before = GC.GetAllocatedBytesForCurrentThread();
            }
            else if (_received == Warm + Measured)
            {
                Allocated = GC.GetAllocatedBytesForCurrentThread() - _before;
                Done.SetResult();
            }

            return true;
        }
    }
}
