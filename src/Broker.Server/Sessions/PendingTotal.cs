using Broker.Server.Delivery;
using Broker.Transport;

namespace Broker.Server.Sessions;

/// <summary>
/// Keeps what waits for all clients of a server within <see cref="BrokerServerOptions.MaxPendingTotal"/>. The sum is not kept
/// but found by looking at all clients, every so many bytes that a loop writes: a shared counter would cost every
/// hand-over of every loop, the look costs only those who set a limit.
/// </summary>
internal sealed class PendingTotal(ServerCore core)
{
    private const int LooksPerLimit = 16;

    private readonly Lock _gate = new();

    /// <summary>Looks if the loop has written enough since its last look. On that loop's thread.</summary>
    internal void Watch(EventLoop loop, LoopState state)
    {
        long limit = core.MaxPendingTotal;
        if (limit != 0 && state.BytesOut - state.BytesOutAtLook >= limit / LooksPerLimit)
        {
            state.BytesOutAtLook = state.BytesOut;
            Look(loop, limit);
        }
    }

    private void Look(EventLoop loop, long limit)
    {
        // Whoever looks now looks for the other loops too.
        if (!_gate.TryEnter())
        {
            return;
        }

        try
        {
            while (Sum(loop, out ClientSession? most) is var total && total > limit && most is not null)
            {
                core.Log.OverTotal(most.Id, most.RemoteEndPoint, total, limit);
                most.Target.CutOff();
            }
        }
        finally
        {
            _gate.Exit();
        }
    }

    private long Sum(EventLoop loop, out ClientSession? most)
    {
        most = null;
        long total = 0;
        long mostBytes = 0;
        foreach (ClientSession session in core.EnumerateSessions())
        {
            long waits = session.Target.Waiting(loop);
            total += waits;
            if (waits > mostBytes)
            {
                mostBytes = waits;
                most = session;
            }
        }

        return total;
    }
}
