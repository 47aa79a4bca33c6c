using NetMQ;
using NetMQ.Core.Utils;

namespace Broker.NetMQCases;

/// <summary>Cases that change what the whole process shares. They run alone, after the others.</summary>
internal static class ProcessCases
{
    public static void The_configuration_keeps_values(Transcript t)
    {
        t.Show("linger", NetMQConfig.Linger);
        t.Show("sockets", NetMQConfig.MaxSockets);
        t.Show("threads", NetMQConfig.ThreadPoolSize);
        t.Try("sockets", () => NetMQConfig.MaxSockets = 2000);
        t.Try("threads", () => NetMQConfig.ThreadPoolSize = 2);
#pragma warning disable CS0618 // Old programs call these methods.
        t.Try("create", () => NetMQConfig.ContextCreate());
        t.Try("take over", () => NetMQConfig.ManualTerminationTakeOver());
#pragma warning restore CS0618
    }

    public static void The_process_has_one_pool_of_buffers(Transcript t)
    {
        BufferPool.SetBufferManagerBufferPool(10000, 1000);
        byte[] buffer = BufferPool.Take(100);
        t.Show("size", buffer.Length >= 100);
        BufferPool.Return(buffer);
        using var own = new OwnPool();
        BufferPool.SetCustomBufferPool(own);
        Msg msg = default;
        msg.InitPool(3);
        msg.Close();
        BufferPool.SetGCBufferPool();
        t.Show("calls", own.Calls);
        using var pool = new OwnGCBufferPool();
        using var managed = new OwnManagedPool();
    }

    public static void Shared_frames_take_a_counter(Transcript t)
    {
        using var own = new OwnCounters();
        AtomicCounterPool.SetCustomCounterPool(own);
        Msg msg = default;
        msg.InitPool(3);
        msg.AddReferences(2);
        msg.AddReferences(1);
        t.Show("calls", own.Calls);
        AtomicCounterPool.SetGCCounterPool();
        t.Show("calls", own.Calls);
    }

    public static void A_cleanup_begins_anew(Transcript t)
    {
        using (var pull = new global::NetMQ.Sockets.PullSocket("@inproc://before"))
        {
        }

        t.Try("cleanup", () => NetMQConfig.Cleanup(false));
#pragma warning disable CS0618 // Old programs call these methods.
        t.Try("terminate", () => NetMQConfig.ContextTerminate(false));
#pragma warning restore CS0618
        using var next = new global::NetMQ.Sockets.PullSocket();
        t.Try("bind", () => next.Bind("inproc://before"));
    }

    private sealed class OwnPool : IBufferPool
    {
        public string Calls { get; private set; } = "";

        public byte[] Take(int size)
        {
            Calls += "take ";
            return new byte[size];
        }

        public void Return(byte[] buffer) => Calls += "return ";

        public void Dispose() => Calls += "dispose ";
    }

    private sealed class OwnCounters : IAtomicCounterPool
    {
        public string Calls { get; private set; } = "";

        public AtomicCounter Take()
        {
            Calls += "take ";
            return new AtomicCounter();
        }

        public void Return(AtomicCounter counter) => Calls += "return ";

        public void Dispose() => Calls += "dispose ";
    }

    private sealed class OwnGCBufferPool : GCBufferPool
    {
        protected override void Dispose(bool disposing) => base.Dispose(disposing);
    }

    private sealed class OwnManagedPool() : BufferManagerBufferPool(10, 10)
    {
        protected override void Dispose(bool disposing) => base.Dispose(disposing);
    }
}
