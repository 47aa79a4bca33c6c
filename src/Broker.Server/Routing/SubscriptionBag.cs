using System.Runtime.InteropServices;

namespace Broker.Server.Routing;

/// <summary>
/// The subscriptions with one filter. If there are several, each knows its index, so that removing one needs no search.
/// </summary>
internal struct SubscriptionBag
{
    private const int SmallCapacity = 8;

    // Null, the only subscription, or a list. Most filters have one subscription.
    private object? _held;

    internal readonly int Count => _held switch
    {
        null => 0,
        List<Subscription> several => several.Count,
        _ => 1,
    };

    internal readonly Subscription? Sole => _held as Subscription;

    internal void Add(Subscription subscription)
    {
        switch (_held)
        {
            case null:
                _held = subscription;
                break;
            case List<Subscription> several:
                subscription.Place = several.Count;
                several.Add(subscription);
                break;
            default:
                var first = (Subscription)_held;
                first.Place = 0;
                subscription.Place = 1;
                _held = new List<Subscription>(2) { first, subscription };
                break;
        }
    }

    internal void Remove(Subscription subscription)
    {
        if (_held is not List<Subscription> several)
        {
            _held = null;
            return;
        }

        Subscription last = several[^1];
        several[subscription.Place] = last;
        last.Place = subscription.Place;
        several.RemoveAt(several.Count - 1);
        if (several.Count == 1)
        {
            _held = several[0];
        }
        else if (several.Capacity > SmallCapacity && several.Count * 4L < several.Capacity)
        {
            several.Capacity = several.Count * 2;
        }
    }

    internal readonly void AddTo(List<Subscription> found)
    {
        if (_held is Subscription sole)
        {
            found.Add(sole);
        }
        else if (_held is List<Subscription> several)
        {
            found.AddRange(CollectionsMarshal.AsSpan(several));
        }
    }
}
