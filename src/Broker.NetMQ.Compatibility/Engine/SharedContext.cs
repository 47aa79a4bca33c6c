using Broker.Transport;
using Broker.ZeroMq;

namespace NetMQ;

/// <summary>The context of all sockets of the process. It is created with the first socket.</summary>
internal static class SharedContext
{
    private static readonly Lock Gate = new();
    private static ZeroMqContext? _context;

    internal static ZeroMqContext Current
    {
        get
        {
            lock (Gate)
            {
                return _context ??= new ZeroMqContext();
            }
        }
    }

    /// <summary>Closes all sockets. The next socket begins a new context.</summary>
    /// <param name="waits">Whether to wait until messages are sent, for up to the linger time of each socket.</param>
    internal static void Close(bool waits)
    {
        ZeroMqContext? closing;
        lock (Gate)
        {
            closing = _context;
            _context = null;
        }

        if (closing is null)
        {
            return;
        }

        if (waits)
        {
            closing.Dispose();
        }
        else
        {
            _ = closing.DisposeAsync().AsTask();
        }
    }

    /// <summary>
    /// Waits until the event loops have done what was posted to them before. A message of an inproc connection passes
    /// two loops, so that after two rounds it has arrived.
    /// </summary>
    internal static void Settle(ZeroMqContext context)
    {
        for (int round = 0; round < 3; round++)
        {
            EventLoopGroup loops = context.Loops;
            using var passed = new CountdownEvent(loops.Count);
            for (int i = 0; i < loops.Count; i++)
            {
                if (loops[i].IsCurrent || !loops[i].TryPost(() => passed.Signal()))
                {
                    passed.Signal();
                }
            }

            passed.Wait();
        }
    }
}
