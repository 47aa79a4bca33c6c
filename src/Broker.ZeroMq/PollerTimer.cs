namespace Broker.ZeroMq;

/// <summary>A periodic timer of a <see cref="ZeroMqPoller"/>.</summary>
public sealed class PollerTimer
{
    private readonly Action _action;
    private volatile bool _isCancelled;

    internal PollerTimer(long interval, Action action)
    {
        Interval = interval;
        _action = action;
    }

    internal long Interval { get; }

    internal bool IsCancelled => _isCancelled;

    /// <summary>Stops the timer. May be called on any thread and in the timer's own action.</summary>
    public void Cancel() => _isCancelled = true;

    internal void Fire()
    {
        if (!_isCancelled)
        {
            _action();
        }
    }
}
