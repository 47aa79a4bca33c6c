using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// Enforces <see cref="BrokerServerOptions.MaxPendingTotal"/>. There is no shared counter, because a shared counter
/// would make every flush of every loop slower. Instead, a loop adds up the queued bytes of all clients each time it
/// has written a certain number of bytes. A server without a limit does not have this cost.
/// </summary>
internal sealed class PendingTotal(ServerCore core)
{
    private const int ChecksPerLimit = 16;

    private readonly Lock _gate = new();

    /// <summary>
    /// Checks the total if the loop has written enough bytes since its last check. Runs on that loop.
    /// </summary>
    internal void CheckAfterWrites(EventLoop loop, LoopState state)
    {
        long limit = core.MaxPendingTotal;
        if (limit != 0 && state.BytesOut - state.BytesOutAtCheck >= limit / ChecksPerLimit)
        {
            state.BytesOutAtCheck = state.BytesOut;
            Check(loop, limit);
        }
    }

    private void Check(EventLoop loop, long limit)
    {
        // If another loop checks now, its check counts for this loop too.
        if (!_gate.TryEnter())
        {
            return;
        }

        try
        {
            while (Sum(loop, out ClientSession? most) is var total && total > limit && most is not null)
            {
                core.Log.OverTotal(most.Id, most.RemoteEndPoint, total, limit);
                most.Target.Disconnect();
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
            long waits = session.Target.GetBufferedBytes(loop);
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
