namespace Broker.Server;

/// <summary>
/// The members of one queue group for a subject. One member receives each message. Members are added but never removed.
/// Any thread may read the group.
/// </summary>
internal sealed class QueueGroup(Subscription[] members, RenamedDelivery[] renamed)
{
    // The maximum number of members of a group that a batch serves, because a batch keeps state for each member.
    private const int MaxSmall = 128;

    private volatile AppendList<Subscription>? _added;
    private volatile int _count = members.Length + renamed.Length;

    /// <summary>The members that receive the message under its own subject.</summary>
    internal Subscription[] Members => members;

    /// <summary>
    /// The members that receive the message under another subject. Their indexes follow the indexes of
    /// <see cref="Members"/>.
    /// </summary>
    internal RenamedDelivery[] RenamedDeliveries => renamed;

    internal byte[] Name => members.Length != 0 ? members[0].Queue! : renamed[0].Subscription.Queue!;

    /// <summary>
    /// Whether the group has few members and none of them receives the message under another subject.
    /// </summary>
    internal bool IsSmall => renamed.Length == 0 && members.Length <= MaxSmall;

    /// <summary>The number of members, including members that have unsubscribed since the route was built.</summary>
    internal int Count => _count;

    /// <summary>The approximate number of bytes that the group uses.</summary>
    internal long Cost => (IntPtr.Size * (long)members.Length) + renamed.Sum(static r => r.Route.Cost);

    /// <summary>Adds a member. The caller holds the router's lock.</summary>
    internal void Add(Subscription subscription)
    {
        (_added ??= new AppendList<Subscription>()).Add(subscription);
        // The count changes last, so that a reader finds all members that the count includes.
        _count++;
    }

    /// <summary>
    /// Returns a member that is not in <see cref="Members"/>. Replaces <paramref name="route"/> if the member receives
    /// the message under another subject.
    /// </summary>
    internal Subscription GetOther(int at, ref Route route)
    {
        at -= members.Length;
        if (at >= renamed.Length)
        {
            return _added!.Items[at - renamed.Length];
        }

        route = renamed[at].Route;
        return renamed[at].Subscription;
    }
}
