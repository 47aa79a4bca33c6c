using Broker.Transport;

namespace Broker.Client;

/// <summary>
/// Releases the arrays that a burst has left in the queues of subscriptions, when the queues have been idle for a
/// while. Busy queues keep their arrays, because allocating them again would cost more. Used on the connection's loop.
/// </summary>
internal sealed class LargeQueues
{
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(10);

    private readonly EventLoop _loop;
    private readonly List<SubscriptionQueue> _queues = [];
    private readonly Action _check;

    internal LargeQueues(EventLoop loop)
    {
        _loop = loop;
        _check = Check;
    }

    /// <summary>Watches a queue until its arrays are small. The queue must not be watched already.</summary>
    internal void Watch(SubscriptionQueue queue)
    {
        _queues.Add(queue);
        if (_queues.Count == 1)
        {
            _loop.RunAfter(Interval, _check);
        }
    }

    private void Check()
    {
        _queues.RemoveAll(static queue => queue.TryRelease());
        if (_queues.Count != 0)
        {
            _loop.RunAfter(Interval, _check);
        }
    }
}
