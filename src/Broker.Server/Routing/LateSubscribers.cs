namespace Broker.Server;

/// <summary>
/// The subscriptions that were added to a large route after it was built. They are written under the router's lock
/// while publishers read them. Removed subscriptions stay in the route, and publishers skip them. If too many
/// subscriptions were removed, the route is built again.
/// </summary>
/// <param name="members">The number of subscriptions when the route was built.</param>
/// <param name="groups">
/// The route's queue groups by their names, owned by this object; null if the route has no queue groups.
/// </param>
/// <param name="seed">The seed of the router's hashes.</param>
internal sealed class LateSubscribers(int members, Dictionary<byte[], QueueGroup>? groups, ulong seed)
{
    // If more than one in four subscriptions of the route has been removed, the route is built again.
    private const int RemovedPart = 4;

    private Dictionary<byte[], QueueGroup>? _groups = groups;
    private int _members = members;
    private int _removed;

    /// <summary>The added subscriptions without a queue group. Each of them receives the message.</summary>
    internal AppendList<Subscription> PlainSubscriptions { get; } = new();

    /// <summary>
    /// The queue groups that had no member when the route was built. One member of each group receives the message.
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
