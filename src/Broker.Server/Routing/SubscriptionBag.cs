namespace Broker.Server.Routing;

/// <summary>The subscriptions of one filter. Each knows its slot, so that removing one of many is no search.</summary>
internal struct SubscriptionBag
{
    private Subscription[]? _items;

    internal int Count { get; private set; }

    internal readonly ReadOnlySpan<Subscription> Items => _items.AsSpan(0, Count);

    internal void Add(Subscription subscription)
    {
        if (_items is null)
        {
            _items = new Subscription[1];
        }
        else if (Count == _items.Length)
        {
            Array.Resize(ref _items, Count * 2);
        }

        subscription.Slot = Count;
        _items[Count++] = subscription;
    }

    internal void Remove(Subscription subscription)
    {
        Subscription last = _items![--Count];
        _items[subscription.Slot] = last;
        last.Slot = subscription.Slot;
        _items[Count] = null!;
        if (Count == 0)
        {
            _items = null;
        }
    }
}
