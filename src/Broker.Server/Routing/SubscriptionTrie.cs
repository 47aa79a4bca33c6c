using System.Runtime.CompilerServices;
using Broker.Protocol;

namespace Broker.Server;

/// <summary>
/// All subscriptions by the tokens of their filters. The trie has only the nodes that are needed to distinguish
/// filters: a subscription is stored at the first token that no other subscription shares, and a match compares the
/// rest of its filter. Not thread-safe: the router's lock guards the trie.
/// </summary>
/// <remarks>
/// The structure of the trie depends only on the current subscriptions, not on their history: a node with one remaining
/// subscription is replaced by that subscription. The trie may change while a match is interrupted. An entry moves only
/// along the path of its filter, so the entries that the match has not visited yet still lead to the same
/// subscriptions.
/// </remarks>
internal sealed class SubscriptionTrie(ulong seed)
{
    // The comparison of this many bytes takes about as long as a visit to a node.
    private const int BytesPerStep = 32;

    private readonly SubscriptionNode _root = SubscriptionNode.WithoutToken();

    // The parents of a node, each with the position of the token in the filter that leads to the next node.
    private readonly Stack<(SubscriptionNode Node, int Position)> _path = new();

    // The entries that a match still has to visit, each with the position of the subject's next token. The walk does
    // not recurse, because a hostile subject can have thousands of tokens.
    private readonly Stack<(TokenEntry Entry, int Position)> _pending = new();

    internal int Count { get; private set; }

    /// <summary>
    /// The number of entries below the root: nodes, and subscriptions that are stored instead of a node.
    /// </summary>
    internal int Nodes { get; private set; }

    /// <summary>The total number of entries that matches have visited, the root included.</summary>
    internal long Steps { get; private set; }

    /// <summary>The total work of matches: visited entries, and the bytes of long filters that were compared.</summary>
    internal long Work { get; private set; }

    // The number of changes so far.
    private long _changes;

    internal void Add(Subscription subscription)
    {
        SubscriptionNode? node = _root;
        int position = 0;
        while (node is not null)
        {
            node = Insert(node, subscription, ref position);
        }

        Count++;
        _changes++;
    }

    /// <summary>Removes a subscription. It must be in the trie.</summary>
    internal void Remove(Subscription subscription)
    {
        ReadOnlySpan<byte> filter = subscription.Filter;
        SubscriptionNode node = _root;
        int position = 0;
        _path.Clear();
        while (position <= filter.Length)
        {
            ReadOnlySpan<byte> token = TokenEntry.TokenAt(filter, position);
            if (IsTail(filter, position, token))
            {
                node.Tail.Remove(subscription);
                break;
            }

            int slot = token is [Subject.AnyToken] ? -1 : node.Children.IndexOf(token, Hash(token));
            TokenEntry entry = slot < 0 ? node.Star! : node.Children[slot]!;
            if (entry is not SubscriptionNode next)
            {
                Clear(node, slot);
                break;
            }

            _path.Push((node, position));
            node = next;
            position += token.Length + 1;
        }

        if (position > filter.Length)
        {
            node.Exact.Remove(subscription);
        }

        Count--;
        _changes++;
        Collapse(node);
    }

    /// <summary>
    /// Adds every subscription whose filter matches the subject to <paramref name="found"/>. Literal tokens come before
    /// <c>*</c>, as in nats-server.
    /// </summary>
    internal void Match(ReadOnlySpan<byte> subject, List<Subscription> found) => TryMatch(subject, found, long.MaxValue);

    /// <summary>
    /// Matches like <see cref="Match"/>, but stops when the work exceeds a limit. Returns false if the match is not
    /// complete: <see cref="Interrupt"/> then returns it, so that it can be continued.
    /// </summary>
    internal bool TryMatch(ReadOnlySpan<byte> subject, List<Subscription> found, long maxWork)
    {
        _pending.Clear();
        _pending.Push((_root, 0));
        return Continue(subject, found, _pending, hasChanged: false, maxWork);
    }

    /// <summary>
    /// Returns the incomplete match, so that it can be continued. Call this method before another match begins.
    /// </summary>
    internal InterruptedMatch Interrupt(List<Subscription> found)
        => new([.. found], new Stack<(TokenEntry, int)>(_pending.Reverse()), _changes);

    /// <summary>
    /// Continues a match. Returns true if the match is complete. Each subscription that was in the trie all the time is
    /// found once. A subscription that was added or removed meanwhile may be found or not.
    /// </summary>
    internal bool Continue(InterruptedMatch match, ReadOnlySpan<byte> subject, long maxWork)
        => Continue(subject, match.Found, match.Pending, match.Changes != _changes, maxWork);

    private bool Continue(
        ReadOnlySpan<byte> subject, List<Subscription> found, Stack<(TokenEntry Entry, int Position)> pending, bool hasChanged, long maxWork)
    {
        long end = maxWork > long.MaxValue - Work ? long.MaxValue : Work + maxWork;
        while (Work < end && pending.TryPop(out (TokenEntry Entry, int Position) at))
        {
            (TokenEntry? next, int position) = at;
            int length = 1;
            while (next is not null)
            {
                if (next is SubscriptionNode { Replacement: null } node)
                {
                    next = Visit(node, subject, ref position, out length, found, pending);
                    continue;
                }

                Subscription alone = next is SubscriptionNode replaced ? replaced.Replacement! : Unsafe.As<Subscription>(next);
                MatchSingle(alone, length, subject, position, found, hasChanged);
                next = null;
            }
        }

        return pending.Count == 0;
    }

    // Returns the entry for the subject's next token; null if the node has no such entry.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private TokenEntry? Visit(
        SubscriptionNode node, ReadOnlySpan<byte> subject, ref int position, out int length, List<Subscription> found,
        Stack<(TokenEntry Entry, int Position)> pending)
    {
        Steps++;
        Work++;
        length = 1;
        if (position > subject.Length)
        {
            node.Exact.AddTo(found);
            return null;
        }

        node.Tail.AddTo(found);
        ReadOnlySpan<byte> token = TokenEntry.TokenAt(subject, position);
        length = token.Length;
        position += length + 1;
        if (node.Star is not null)
        {
            pending.Push((node.Star, position));
        }

        return node.Children.Find(token, Hash(token));
    }

    /// <summary>Returns all subscriptions, in no particular order.</summary>
    internal List<Subscription> ToList()
    {
        var all = new List<Subscription>(Count);
        var entries = new Stack<TokenEntry>();
        entries.Push(_root);
        while (entries.TryPop(out TokenEntry? entry))
        {
            if (entry is not SubscriptionNode node)
            {
                all.Add((Subscription)entry);
                continue;
            }

            node.Exact.AddTo(all);
            node.Tail.AddTo(all);
            if (node.Star is { } star)
            {
                entries.Push(star);
            }

            for (int slot = 0; slot < node.Children.Length; slot++)
            {
                if (node.Children[slot] is { } child)
                {
                    entries.Push(child);
                }
            }
        }

        return all;
    }

    private void MatchSingle(
        Subscription alone, int tokenLength, ReadOnlySpan<byte> subject, int position, List<Subscription> found, bool hasChanged)
    {
        Steps++;
        ReadOnlySpan<byte> filter = alone.Filter;
        // After a change, the subscription may be stored under another token. So its whole filter is compared.
        int start = hasChanged ? 0 : alone.Position + tokenLength + 1;
        position = hasChanged ? 0 : position;
        bool matches;
        if (start > filter.Length || position > subject.Length)
        {
            matches = start > filter.Length && position > subject.Length;
        }
        else
        {
            filter = filter[start..];
            subject = subject[position..];
            Work += Math.Min(filter.Length, subject.Length) / BytesPerStep;
            matches = filter.SequenceEqual(subject) || Subject.Matches(filter, subject);
        }

        Work++;
        if (matches && !alone.IsClosed)
        {
            found.Add(alone);
        }
    }

    // Performs one step of an insertion. Returns the next node, or null if the subscription is inserted.
    private SubscriptionNode? Insert(SubscriptionNode node, Subscription subscription, ref int position)
    {
        ReadOnlySpan<byte> filter = subscription.Filter;
        if (position > filter.Length)
        {
            node.Exact.Add(subscription);
            return null;
        }

        int start = position;
        ReadOnlySpan<byte> token = TokenEntry.TokenAt(filter, start);
        if (IsTail(filter, start, token))
        {
            node.Tail.Add(subscription);
            return null;
        }

        position += token.Length + 1;
        bool star = token is [Subject.AnyToken];
        uint hash = star ? 0 : Hash(token);
        int slot = star ? -1 : node.Children.IndexOf(token, hash);
        TokenEntry? entry = star ? node.Star : slot < 0 ? null : node.Children[slot];
        if (entry is null)
        {
            subscription.Position = start;
            Nodes++;
            if (star)
            {
                node.Star = subscription;
            }
            else
            {
                node.Children.Add(hash, subscription);
            }

            return null;
        }

        if (entry is SubscriptionNode known)
        {
            return known;
        }

        // The subscription that occupied this entry moves one token down, where both subscriptions may collide again.
        SubscriptionNode made = star ? SubscriptionNode.WithoutToken() : SubscriptionNode.ForToken(subscription.Filter, start);
        int next = position;
        Insert(made, Unsafe.As<Subscription>(entry), ref next);
        Replace(node, slot, made);
        return made;
    }

    // Removes nodes that are not needed any more after a removal: first this node, and then its parents in _path.
    private void Collapse(SubscriptionNode node)
    {
        while (_path.TryPop(out (SubscriptionNode Node, int Position) parent) && node.Sole is { } sole)
        {
            if (node.Children.Count == 1 || node.Star is not null)
            {
                Nodes--;
            }

            int slot = parent.Node.Star == node ? -1 : parent.Node.Children.IndexOf(node.Token, Hash(node.Token));
            sole.Position = parent.Position;
            Replace(parent.Node, slot, sole);
            node.MarkReplaced(sole);
            node = parent.Node;
        }
    }

    private void Clear(SubscriptionNode node, int slot)
    {
        Nodes--;
        if (slot < 0)
        {
            node.Star = null;
        }
        else
        {
            node.Children.RemoveAt(slot);
            node.Children.Trim();
        }
    }

    private static void Replace(SubscriptionNode node, int slot, TokenEntry entry)
    {
        if (slot < 0)
        {
            node.Star = entry;
        }
        else
        {
            node.Children.Replace(slot, entry);
        }
    }

    private uint Hash(ReadOnlySpan<byte> token) => ByteHash.Compute(token, seed);

    private static bool IsTail(ReadOnlySpan<byte> filter, int start, ReadOnlySpan<byte> token)
        => token is [Subject.AnyTail] && start + 1 == filter.Length;
}
