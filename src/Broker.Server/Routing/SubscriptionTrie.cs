using Broker.Protocol.Subjects;

namespace Broker.Server.Routing;

/// <summary>
/// All subscriptions by the tokens of their filters. Not thread-safe: the router's lock guards it.
/// </summary>
internal sealed class SubscriptionTrie(ByteKeyComparer comparer)
{
    private readonly SubscriptionNode _root = new();
    private readonly List<SubscriptionNode> _path = [];

    // Pending branches of a match: a hostile subject has thousands of tokens, so the walk does not recurse.
    private readonly Stack<(SubscriptionNode Node, int Position)> _pending = new();

    internal int Count { get; private set; }

    /// <summary>How many nodes there are beside the root.</summary>
    internal int Nodes { get; private set; }

    /// <summary>How many nodes matches have looked at so far.</summary>
    internal long Steps { get; private set; }

    internal void Add(Subscription subscription)
    {
        SubscriptionNode node = _root;
        bool tail = false;
        var tokens = new TokenEnumerator(subscription.Filter);
        while (tokens.MoveNext())
        {
            if (tokens.Current is [Subject.AnyTail])
            {
                tail = true;
            }
            else
            {
                node = GetOrAdd(node, tokens.Current);
            }
        }

        if (tail)
        {
            node.Tail.Add(subscription);
        }
        else
        {
            node.Exact.Add(subscription);
        }

        Count++;
    }

    /// <summary>Removes a subscription that is in the trie.</summary>
    internal void Remove(Subscription subscription)
    {
        SubscriptionNode node = _root;
        _path.Clear();
        bool tail = false;
        var tokens = new TokenEnumerator(subscription.Filter);
        while (tokens.MoveNext())
        {
            if (tokens.Current is [Subject.AnyTail])
            {
                tail = true;
            }
            else
            {
                _path.Add(node);
                node = Find(node, tokens.Current)!;
            }
        }

        if (tail)
        {
            node.Tail.Remove(subscription);
        }
        else
        {
            node.Exact.Remove(subscription);
        }

        Count--;
        if (node.IsEmpty)
        {
            Prune(subscription.Filter);
        }
    }

    /// <summary>Adds every subscription whose filter matches the subject to <paramref name="found"/>.</summary>
    internal void Match(ReadOnlySpan<byte> subject, List<Subscription> found)
    {
        _pending.Clear();
        _pending.Push((_root, 0));
        while (_pending.TryPop(out (SubscriptionNode Node, int Position) at))
        {
            SubscriptionNode? node = at.Node;
            int position = at.Position;
            while (node is not null)
            {
                Steps++;
                if (position > subject.Length)
                {
                    found.AddRange(node.Exact.Items);
                    break;
                }

                found.AddRange(node.Tail.Items);
                ReadOnlySpan<byte> rest = subject[position..];
                int end = rest.IndexOf(Subject.Separator);
                ReadOnlySpan<byte> token = end < 0 ? rest : rest[..end];
                position += token.Length + 1;
                if (node.Star is not null)
                {
                    _pending.Push((node.Star, position));
                }

                node = node.Children is { } children
                    && children.GetAlternateLookup<ReadOnlySpan<byte>>().TryGetValue(token, out SubscriptionNode? child)
                    ? child
                    : null;
            }
        }
    }

    private static SubscriptionNode? Find(SubscriptionNode node, ReadOnlySpan<byte> token)
        => token is [Subject.AnyToken]
            ? node.Star
            : node.Children?.GetAlternateLookup<ReadOnlySpan<byte>>().TryGetValue(token, out SubscriptionNode? child) == true ? child : null;

    private SubscriptionNode GetOrAdd(SubscriptionNode node, ReadOnlySpan<byte> token)
    {
        if (Find(node, token) is { } found)
        {
            return found;
        }

        var made = new SubscriptionNode();
        Nodes++;
        if (token is [Subject.AnyToken])
        {
            node.Star = made;
        }
        else
        {
            node.Children ??= new Dictionary<byte[], SubscriptionNode>(comparer);
            node.Children.Add(token.ToArray(), made);
        }

        return made;
    }

    // From the leaf up, as long as nodes are empty. _path holds the parents.
    private void Prune(byte[] filter)
    {
        int end = filter.AsSpan() is [.., Subject.Separator, Subject.AnyTail] ? filter.Length - 2 : filter.Length;
        for (int i = _path.Count - 1; i >= 0; i--)
        {
            int start = filter.AsSpan(0, end).LastIndexOf(Subject.Separator) + 1;
            ReadOnlySpan<byte> token = filter.AsSpan(start, end - start);
            SubscriptionNode parent = _path[i];
            Nodes--;
            if (token is [Subject.AnyToken])
            {
                parent.Star = null;
            }
            else
            {
                parent.Children!.GetAlternateLookup<ReadOnlySpan<byte>>().Remove(token);
                if (parent.Children.Count == 0)
                {
                    parent.Children = null;
                }
            }

            if (!parent.IsEmpty)
            {
                return;
            }

            end = start - 1;
        }
    }
}
