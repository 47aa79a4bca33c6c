using Broker.Protocol;

namespace Broker.Server;

/// <summary>
/// The subscriptions that the last search of a trie has found. The list is reused for the next search. Not
/// thread-safe: the router's lock guards the list.
/// </summary>
internal sealed class FoundSubscriptions(SubscriptionTrie subscriptions)
{
    // The number of found subscriptions whose copy counts as one step of work.
    private const int FoundPerStep = 16;

    // The largest capacity of the list that is kept for the next search.
    private const int MaxKept = 4096;

    private readonly List<Subscription> _found = [];

    internal int Count => _found.Count;

    /// <summary>The found subscription, if the search has found exactly one; otherwise null.</summary>
    internal Subscription? Only => _found.Count == 1 ? _found[0] : null;

    /// <summary>Searches the subscriptions whose filter matches a subject.</summary>
    /// <param name="subject">The subject.</param>
    /// <param name="work">Increased by the number of visited nodes and by the cost of copying.</param>
    internal void Search(ReadOnlySpan<byte> subject, ref long work) => TrySearch(subject, long.MaxValue, ref work);

    /// <summary>
    /// Searches like <see cref="Search"/>, but stops when the work exceeds a limit. Returns false if the search is not
    /// complete: <see cref="Interrupt"/> then returns it, so that it can be continued.
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

    /// <summary>Returns the incomplete search, so that it can be continued, and clears the list.</summary>
    internal InterruptedMatch Interrupt()
    {
        InterruptedMatch match = subscriptions.Interrupt(_found);
        Clear();
        return match;
    }

    /// <summary>Returns the found subscriptions, and clears the list.</summary>
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

    /// <summary>Clears the list.</summary>
    internal void Clear() => _found.Clear();
}
