using Broker.Server.Collections;

namespace Broker.Server.Routing;

/// <summary>
/// What has come to a large route since it was built. Written under the router's lock; publishers read meanwhile. Who has gone
/// stays in the route and is passed over: too many of these, and the route is built anew.
/// </summary>
/// <param name="members">How many subscriptions the route was built of.</param>
/// <param name="groups">Its queue groups by their names; null for none. The growth's from now on.</param>
/// <param name="seed">Of the router's hashes.</param>
internal sealed class RouteGrowth(int members, Dictionary<byte[], QueueGroup>? groups, ulong seed)
{
    // Of those in the route one in so many may have gone.
    private const int GonePart = 4;

    private Dictionary<byte[], QueueGroup>? _groups = groups;
    private int _members = members;
    private int _gone;

    /// <summary>Every one of these is sent the message.</summary>
    internal AppendList<Subscription> Plain { get; } = new();

    /// <summary>One of each of these is: groups of which there was no member.</summary>
    internal AppendList<QueueGroup> Queues { get; } = new();

    internal void Add(Subscription subscription)
    {
        _members++;
        if (subscription.Queue is not { } queue)
        {
            Plain.Add(subscription);
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
            Queues.Add(group);
        }
    }

    /// <summary>Counts one that has gone. False when the route must be built anew.</summary>
    internal bool TryRemove() => ++_gone <= _members / GonePart;
}
