namespace Broker.Server;

/// <summary>
/// The position in the subscribers of a route, for a message that is delivered in shares. Subscribers that are added to
/// the route later do not receive the message.
/// </summary>
internal struct RouteCursor
{
    private readonly Subscription[] _plain;
    private readonly QueueGroup[] _groups;
    private readonly RenamedDelivery[] _renamed;
    private readonly int _latePlain;
    private readonly int _end;
    private int _at;

    /// <param name="route">The route.</param>
    /// <param name="visited">The number of plain subscriptions that are left out.</param>
    internal RouteCursor(Route route, int visited)
    {
        Route = route;
        _plain = route.PlainSubscriptions;
        _groups = route.QueueGroups;
        _renamed = route.RenamedDeliveries;
        LateSubscribers? late = route.LateSubscribers;
        _latePlain = late?.PlainSubscriptions.Count ?? 0;
        _end = _plain.Length + _groups.Length + _renamed.Length + _latePlain + (late?.QueueGroups.Count ?? 0);
        _at = visited;
    }

    private RouteCursor(Route route, Subscription[] plain, int end)
    {
        Route = route;
        _plain = plain;
        _groups = [];
        _renamed = [];
        _end = end;
    }

    internal Route Route { get; }

    /// <summary>Returns a cursor over the first plain subscriptions only.</summary>
    internal static RouteCursor OfPlain(Route route, int count) => new(route, route.PlainSubscriptions, count);

    /// <summary>Whether no subscribers are left.</summary>
    internal readonly bool IsAtEnd => _at == _end;

    /// <summary>Moves to the next subscriber: exactly one of the results is not null.</summary>
    internal Subscription? MoveNext(out QueueGroup? group, out RenamedDelivery? renamed)
    {
        int at = _at++;
        group = null;
        renamed = null;
        if (at < _plain.Length)
        {
            return _plain[at];
        }

        at -= _plain.Length;
        if (at < _groups.Length)
        {
            group = _groups[at];
            return null;
        }

        at -= _groups.Length;
        if (at < _renamed.Length)
        {
            renamed = _renamed[at];
            return null;
        }

        at -= _renamed.Length;
        LateSubscribers late = Route.LateSubscribers!;
        if (at < _latePlain)
        {
            return late.PlainSubscriptions.Items[at];
        }

        group = late.QueueGroups.Items[at - _latePlain];
        return null;
    }
}
