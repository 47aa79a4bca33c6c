using Broker.ZeroMq;

namespace NetMQ;

/// <summary>Waits for inproc messages that are on their way to one socket.</summary>
internal sealed class InprocSettling(ZeroMqContext context)
{
    private int _settledCount;

    /// <summary>Waits until messages that other sockets have sent are here. Returns whether it had to wait.</summary>
    internal bool HasSettled()
    {
        int count = InprocTraffic.Count;
        if (_settledCount == count)
        {
            return false;
        }

        SharedContext.Settle(context);
        _settledCount = count;
        return true;
    }
}
