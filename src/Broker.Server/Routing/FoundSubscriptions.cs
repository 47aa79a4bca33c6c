using Broker.Protocol;

namespace Broker.Server;

/// <summary>
/// The subscriptions that the last search of a trie has found. The list is reused for the next search. Not
/// thread-safe: the router's lock guards it.
/// </summary>
internal sealed class FoundSubscriptions(SubscriptionTrie subscriptions)
{
    // Copying this many of the found subscriptions counts as one step of work.
    private const int FoundPerStep = 16;

    // The list drops its array after a larger route.
    private const int MaxKept = 4096;

    private readonly List<Subscription> _found = [];

    internal int Count => _found.Count;

    /// <summary>The found subscription, if it is the only one.</summary>
    internal Subscription? Only => _found.Count == 1 ? _found[0] : null;

    /// <summary>Searches the subscriptions whose filter matches a subject.</summary>
    /// <param name="subject">The subject.</param>
    /// <param name="work">The number of visited nodes and the cost of copying are added to it.</param>
    internal void Search(ReadOnlySpan<byte> subject, ref long work) => TrySearch(subject, long.MaxValue, ref work);

    /// <summary>
    /// Searches as <see cref="Search"/> does, until the work is done or exceeds a limit. Returns false if some of it
    /// remains: <see cref="Interrupt"/> then keeps it.
    /// </summary>
    internal bool TrySearch(ReadOnlySpan<byte> subject, long maxWork, ref long work)
    {
        _found.Clear();
        if (!Subject.HasNoEmptyToken(subject))
        {
            return true;
        }

        long before = subscriptions.Work;
        bool isComplete = subscriptions.TryMatch(subject, _found, maxWork);
        work += subscriptions.Work - before + (_found.Count / FoundPerStep);
        return isComplete;
    }

    /// <summary>Returns what remains of the last search, and forgets it.</summary>
    internal InterruptedMatch Interrupt()
    {
        InterruptedMatch match = subscriptions.Interrupt(_found);
        Clear();
        return match;
    }

    /// <summary>Returns what was found, and forgets it.</summary>
    internal Subscription[] Take()
    {
        Subscription[] found = [.. _found];
        Clear();
        if (_found.Capacity > MaxKept)
        {
            _found.Capacity = 0;
        }

        return found;
    }

    /// <summary>Forgets what was found.</summary>
    internal void Clear() => _found.Clear();
}
