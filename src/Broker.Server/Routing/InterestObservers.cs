namespace Broker.Server;

/// <summary>
/// The observers of a router's subscriptions. Not thread-safe: the router's lock guards this struct, and observers are
/// called under that lock.
/// </summary>
internal struct InterestObservers
{
    // Each change creates a new array, because an observer may add or remove observers while it is called.
    private IInterestObserver[] _all = [];

    public InterestObservers()
    {
    }

    /// <summary>Reports the current subscriptions to an observer, and later every change.</summary>
    internal void Add(IInterestObserver observer, List<Subscription> current)
    {
        _all = [.. _all, observer];
        foreach (Subscription subscription in current)
        {
            observer.OnChanged(subscription, isAdded: true);
        }
    }

    /// <summary>Ends the reports to an observer.</summary>
    internal void Remove(IInterestObserver observer) => _all = [.. _all.Where(o => o != observer)];

    /// <summary>Reports a subscription that was added or is being removed to all observers.</summary>
    internal readonly void Report(Subscription subscription, bool isAdded)
    {
        foreach (IInterestObserver observer in _all)
        {
            observer.OnChanged(subscription, isAdded);
        }
    }
}
