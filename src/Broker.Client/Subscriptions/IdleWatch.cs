using Broker.Transport;

namespace Broker.Client;

/// <summary>
/// Ends a subscription that has received no message for a time. It compares the number of messages a few times in each
/// period, so a message costs nothing and reads no clock. Used on the connection's loop.
/// </summary>
internal sealed class IdleWatch
{
    // The subscription ends after one period to one and a quarter periods without a message.
    private const int ChecksInPeriod = 4;

    private readonly EventLoop _loop;
    private readonly Subscription _subscription;
    private readonly TimeSpan _interval;
    private readonly Action _check;
    private long _delivered;
    private int _idleChecks;

    private IdleWatch(EventLoop loop, Subscription subscription, TimeSpan period)
    {
        _loop = loop;
        _subscription = subscription;
        _interval = period / ChecksInPeriod;
        _check = Check;
    }

    internal static void Start(EventLoop loop, Subscription subscription, TimeSpan period)
    {
        var watch = new IdleWatch(loop, subscription, period);
        loop.Post(() => loop.RunAfter(watch._interval, watch._check));
    }

    private void Check()
    {
        if (!_subscription.IsActive)
        {
            return;
        }

        long delivered = _subscription.Delivered;
        _idleChecks = delivered == _delivered ? _idleChecks + 1 : 0;
        _delivered = delivered;
        if (_idleChecks == ChecksInPeriod)
        {
            _subscription.Manager.Batch.Flush();
            _subscription.Unsubscribe();
            return;
        }

        _loop.RunAfter(_interval, _check);
    }
}
