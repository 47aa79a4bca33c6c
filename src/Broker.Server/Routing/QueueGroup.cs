using Broker.Server.Collections;

namespace Broker.Server.Routing;

/// <summary>The members of one queue group that a subject has: one of them is sent the message. Members only come; any thread reads.</summary>
internal sealed class QueueGroup(Subscription[] members, RenamedDelivery[] renamed)
{
    // Of more than that a publisher would have to keep too much at hand.
    private const int MostOfSmall = 128;

    private volatile AppendList<Subscription>? _added;
    private volatile int _count = members.Length + renamed.Length;

    /// <summary>Those who get it by the name it was published under.</summary>
    internal Subscription[] Members => members;

    /// <summary>Those who get it by another name; they come after the members.</summary>
    internal RenamedDelivery[] Renamed => renamed;

    internal byte[] Name => members.Length != 0 ? members[0].Queue! : renamed[0].Subscription.Queue!;

    /// <summary>Whether its members are no more than a few, none of them by another name.</summary>
    internal bool IsSmall => renamed.Length == 0 && members.Length <= MostOfSmall;

    /// <summary>How many there are, those who have gone since the route was built among them.</summary>
    internal int Count => _count;

    /// <summary>About how many bytes it holds.</summary>
    internal long Cost => (IntPtr.Size * (long)members.Length) + renamed.Sum(static r => r.Route.Cost);

    /// <summary>Adds a member. Under the router's lock.</summary>
    internal void Add(Subscription subscription)
    {
        (_added ??= new AppendList<Subscription>()).Add(subscription);
        // Last: whoever sees the number finds so many.
        _count++;
    }

    /// <summary>A member that is not one of <see cref="Members"/>.</summary>
    internal Subscription Other(int at, ref Route route)
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
