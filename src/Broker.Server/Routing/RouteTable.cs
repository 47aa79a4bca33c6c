using Broker.Protocol.Subjects;

namespace Broker.Server.Routing;

/// <summary>
/// The routes in use, by the tokens of their subjects, so that those a filter concerns are found without looking at the
/// others. Not thread-safe: the router's lock guards it.
/// </summary>
internal sealed class RouteTable(ByteKeyComparer comparer, int capacity)
{
    private readonly Stack<(RouteNode Node, int Position)> _pending = new();
    private RouteNode _root = new();

    internal int Count { get; private set; }

    internal Route? Find(ReadOnlySpan<byte> subject)
    {
        RouteNode? node = _root;
        var tokens = new TokenEnumerator(subject);
        while (node is not null && tokens.MoveNext())
        {
            node = Child(node, tokens.Current);
        }

        return node?.Route;
    }

    internal void Add(Route route)
    {
        if (Count >= capacity)
        {
            // Subjects that never come again would fill the memory. Those in use are back after one miss each.
            ExpireAll();
        }

        RouteNode node = _root;
        foreach (ReadOnlySpan<byte> token in new TokenEnumerator(route.Subject))
        {
            RouteNode? child = Child(node, token);
            if (child is null)
            {
                child = new RouteNode();
                node.Children ??= new Dictionary<byte[], RouteNode>(comparer);
                node.Children.Add(token.ToArray(), child);
            }

            node = child;
        }

        node.Route = route;
        Count++;
    }

    /// <summary>Expires the routes of every subject that <paramref name="filter"/> matches.</summary>
    internal void Expire(ReadOnlySpan<byte> filter)
    {
        _pending.Clear();
        _pending.Push((_root, 0));
        while (_pending.TryPop(out (RouteNode Node, int Position) at))
        {
            if (at.Position > filter.Length)
            {
                Expire(at.Node);
                continue;
            }

            ReadOnlySpan<byte> rest = filter[at.Position..];
            int end = rest.IndexOf(Subject.Separator);
            ReadOnlySpan<byte> token = end < 0 ? rest : rest[..end];
            int next = at.Position + token.Length + 1;
            if (token is [Subject.AnyTail] && end < 0)
            {
                ExpireBelow(at.Node);
            }
            else if (token is not [Subject.AnyToken])
            {
                if (Child(at.Node, token) is { } child)
                {
                    _pending.Push((child, next));
                }
            }
            else if (at.Node.Children is { } children)
            {
                foreach (RouteNode child in children.Values)
                {
                    _pending.Push((child, next));
                }
            }
        }
    }

    private void ExpireAll()
    {
        ExpireBelow(_root);
        _root = new RouteNode();
        Count = 0;
    }

    private void ExpireBelow(RouteNode top)
    {
        var nodes = new Stack<RouteNode>();
        nodes.Push(top);
        while (nodes.TryPop(out RouteNode? node))
        {
            if (node != top)
            {
                Expire(node);
            }

            if (node.Children is { } children)
            {
                foreach (RouteNode child in children.Values)
                {
                    nodes.Push(child);
                }
            }
        }
    }

    private void Expire(RouteNode node)
    {
        if (node.Route is { } route)
        {
            route.Expire();
            node.Route = null;
            Count--;
        }
    }

    private static RouteNode? Child(RouteNode node, ReadOnlySpan<byte> token)
        => node.Children?.GetAlternateLookup<ReadOnlySpan<byte>>().TryGetValue(token, out RouteNode? child) == true ? child : null;
}
