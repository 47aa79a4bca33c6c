namespace Broker.Server;

/// <summary>
/// The subscriptions that were added to a large route after it was built. They are written under the router's lock
/// while publishers read them. Removed subscriptions stay in the route and are skipped. If too many were removed, the
/// route is built again.
/// </summary>
/// <param name="members">The number of subscriptions when the route was built.</param>
/// <param name="groups">The queue groups by their names, owned by this object; null if there are none.</param>
/// <param name="seed">The seed of the router's hashes.</param>
internal sealed class LateSubscribers(int members, Dictionary<byte[], QueueGroup>? groups, ulong seed)
{
    // One in this many subscriptions of the route may be removed.
    private const int RemovedPart = 4;

    private Dictionary<byte[], QueueGroup>? _groups = groups;
    private int _members = members;
    private int _removed;

    /// <summary>Subscriptions that each receive the message.</summary>
    internal AppendList<Subscription> PlainSubscriptions { get; } = new();

    /// <summary>
    /// Queue groups that had no member when the route was built. One member of each receives the message.
    /// </summary>
    internal AppendList<QueueGroup> QueueGroups { get; } = new();

    internal void Add(Subscription subscription)
    {
        _members++;
        if (subscription.Queue is not { } queue)
        {
            PlainSubscriptions.Add(subscription);
            return;
        }

        _groups ??= new Dictionary<byte[], QueueGroup>(new ByteKeyComparer(seed));
        if (_groups.TryGetValue(queue, out QueueGroup? group))
        {
            group.Add(subscription);
        }
        else
        {
            group = new QueueGroup([subscription], []);
            _groups.Add(queue, group);
            QueueGroups.Add(group);
        }
    }

    /// <summary>Counts a removed subscription. Returns false if the route must be built again.</summary>
    internal bool TryRemove() => ++_removed <= _members / RemovedPart;
}
