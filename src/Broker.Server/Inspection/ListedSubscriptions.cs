using System.Collections;
using System.Text;

namespace Broker.Server;

/// <summary>
/// Descriptions of subscriptions. Each description is created when it is read, because a list of all of them takes many
/// times the memory of the references, and a page with this list is kept until a slow reader has received it. The
/// counters are those of the time of the read. After the last <see cref="Add"/>, the list is thread-safe.
/// </summary>
internal sealed class ListedSubscriptions : IReadOnlyList<SubscriptionDescription>
{
    private readonly List<(ClientSession Session, ArraySegment<Subscription> Subscriptions)> _parts = [];

    public int Count { get; private set; }

    public SubscriptionDescription this[int index]
    {
        get
        {
            foreach ((ClientSession session, ArraySegment<Subscription> subscriptions) in _parts)
            {
                if ((uint)index < (uint)subscriptions.Count)
                {
                    return Describe(session, subscriptions[index]);
                }

                index -= subscriptions.Count;
            }

            throw new ArgumentOutOfRangeException(nameof(index));
        }
    }

    public IEnumerator<SubscriptionDescription> GetEnumerator()
    {
        foreach ((ClientSession session, ArraySegment<Subscription> subscriptions) in _parts)
        {
            foreach (Subscription subscription in subscriptions)
            {
                yield return Describe(session, subscription);
            }
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>Adds subscriptions of one client. The array must not change any more.</summary>
    internal void Add(ClientSession session, ArraySegment<Subscription> subscriptions)
    {
        if (subscriptions.Count > 0)
        {
            _parts.Add((session, subscriptions));
            Count += subscriptions.Count;
        }
    }

    private static SubscriptionDescription Describe(ClientSession session, Subscription subscription) => new(
        session.Account.Name,
        Encoding.UTF8.GetString(subscription.Filter),
        subscription.Queue is null ? null : Encoding.UTF8.GetString(subscription.Queue),
        Encoding.UTF8.GetString(subscription.Sid),
        subscription.Delivered,
        subscription.Max,
        session.Id);
}
