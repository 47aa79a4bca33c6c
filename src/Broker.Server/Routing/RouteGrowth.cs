using Broker.Server.Collections;

namespace Broker.Server.Routing;

/// <summary>
/// What has come to a large route since it was built. Written under the router's lock; publishers read meanwhile. Who has gone
/// stays in the route and is passed over: too many of these, and the route is built anew.
/// </summary>
internal sealed class RouteGrowth(Route route, ulong seed)
{
    // Of those in the route one in so many may have gone.
    private const int GonePart = 4;

    private Dictionary<byte[], QueueGroup>? _groups;
    private int _members = route.Members;
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

        _groups ??= route.Queues.ToDictionary(static g => g.Name, new ByteKeyComparer(seed));
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
