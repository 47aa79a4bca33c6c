using System.Runtime.InteropServices;

namespace Broker.Server;

/// <summary>
/// The subscriptions with one filter. If there are several subscriptions, each stores its own index, so that its
/// removal needs no search.
/// </summary>
internal struct SubscriptionBag
{
    private const int SmallCapacity = 8;

    // Null, the only subscription, or a list. Most filters have one subscription.
    private object? _content;

    internal readonly int Count => _content switch
    {
        null => 0,
        List<Subscription> several => several.Count,
        _ => 1,
    };

    internal readonly Subscription? Sole => _content as Subscription;

    internal void Add(Subscription subscription)
    {
        switch (_content)
        {
            case null:
                _content = subscription;
                break;
            case List<Subscription> several:
                subscription.Position = several.Count;
                several.Add(subscription);
                break;
            default:
                var first = (Subscription)_content;
                first.Position = 0;
                subscription.Position = 1;
                _content = new List<Subscription>(2) { first, subscription };
                break;
        }
    }

    internal void Remove(Subscription subscription)
    {
        if (_content is not List<Subscription> several)
        {
            _content = null;
            return;
        }

        Subscription last = several[^1];
        several[subscription.Position] = last;
        last.Position = subscription.Position;
        several.RemoveAt(several.Count - 1);
        if (several.Count == 1)
        {
            _content = several[0];
        }
        else if (several.Capacity > SmallCapacity && several.Count * 4L < several.Capacity)
        {
            several.Capacity = several.Count * 2;
        }
    }

    internal readonly void AddTo(List<Subscription> found)
    {
        if (_content is Subscription sole)
        {
            found.Add(sole);
        }
        else if (_content is List<Subscription> several)
        {
            found.AddRange(CollectionsMarshal.AsSpan(several));
        }
    }
}
