using System.Runtime.CompilerServices;
using Broker.Protocol.Subjects;
using Broker.Server.Collections;

namespace Broker.Server.Routing;

/// <summary>
/// All subscriptions by the tokens of their filters, as far as it takes to tell them apart: a subscription that nothing else
/// shares its way with stands where that way begins, and the rest of its filter is compared when a match comes by. Not
/// thread-safe: the router's lock guards it.
/// </summary>
/// <remarks>
/// What it looks like depends on the subscriptions alone and not on those that came and went: a node with one subscription left
/// gives way to it.
/// </remarks>
internal sealed class SubscriptionTrie(ulong seed)
{
    private readonly SubscriptionNode _root = new([]);

    // Parents, and where in the filter the token begins that leads on from each.
    private readonly Stack<(SubscriptionNode Node, int Position)> _path = new();

    // Pending branches of a match: a hostile subject has thousands of tokens, so the walk does not recurse.
    private readonly Stack<(TokenEntry Entry, int Position)> _pending = new();

    internal int Count { get; private set; }

    /// <summary>How many places there are beside the root: nodes, and subscriptions that stand in the place of one.</summary>
    internal int Nodes { get; private set; }

    /// <summary>How many of these, and how often the root, matches have looked at so far.</summary>
    internal long Steps { get; private set; }

    internal void Add(Subscription subscription)
    {
        SubscriptionNode? node = _root;
        int position = 0;
        while (node is not null)
        {
            node = Put(node, subscription, ref position);
        }

        Count++;
    }

    /// <summary>Removes a subscription that is in the trie.</summary>
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
        Collapse(node);
    }

    /// <summary>
    /// Adds every subscription whose filter matches the subject to <paramref name="found"/>; names come before stars, as clients of
    /// nats-server are used to.
    /// </summary>
    internal void Match(ReadOnlySpan<byte> subject, List<Subscription> found)
    {
        _pending.Clear();
        SubscriptionNode? node = _root;
        int position = 0;
        while (true)
        {
            TokenEntry? next = null;
            int length = 1;
            if (node is not null)
            {
                Steps++;
                if (position > subject.Length)
                {
                    node.Exact.AddTo(found);
                }
                else
                {
                    node.Tail.AddTo(found);
                    ReadOnlySpan<byte> token = TokenEntry.TokenAt(subject, position);
                    length = token.Length;
                    position += length + 1;
                    if (node.Star is not null)
                    {
                        _pending.Push((node.Star, position));
                    }

                    next = node.Children.Find(token, Hash(token));
                }
            }

            if (next is null)
            {
                if (!_pending.TryPop(out (TokenEntry Entry, int Position) at))
                {
                    return;
                }

                (next, position) = at;
                length = 1;
            }

            node = next as SubscriptionNode;
            if (node is null)
            {
                MatchAlone(Unsafe.As<Subscription>(next), length, subject, position, found);
            }
        }
    }

    private void MatchAlone(Subscription alone, int tokenLength, ReadOnlySpan<byte> subject, int position, List<Subscription> found)
    {
        Steps++;
        ReadOnlySpan<byte> filter = alone.Filter;
        int start = alone.Place + tokenLength + 1;
        bool matches = start > filter.Length || position > subject.Length
            ? start > filter.Length && position > subject.Length
            : filter[start..].SequenceEqual(subject[position..]) || Subject.Matches(filter[start..], subject[position..]);
        if (matches)
        {
            found.Add(alone);
        }
    }

    // One step of an insertion: the node to go on with, or null when the subscription has found its place.
    private SubscriptionNode? Put(SubscriptionNode node, Subscription subscription, ref int position)
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
            subscription.Place = start;
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

        // The one that stood here goes one token on, and both may meet there again.
        var made = new SubscriptionNode(star ? [] : token.ToArray());
        int next = position;
        Put(made, Unsafe.As<Subscription>(entry), ref next);
        Set(node, slot, made);
        return made;
    }

    // From a node up that a subscription has left. _path holds the parents.
    private void Collapse(SubscriptionNode node)
    {
        while (_path.TryPop(out (SubscriptionNode Node, int Position) parent) && node.Sole is { } sole)
        {
            if (node.Children.Count == 1 || node.Star is not null)
            {
                Nodes--;
            }

            int slot = parent.Node.Star == node ? -1 : parent.Node.Children.IndexOf(node.Bytes, Hash(node.Bytes));
            sole.Place = parent.Position;
            Set(parent.Node, slot, sole);
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

    private static void Set(SubscriptionNode node, int slot, TokenEntry entry)
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
