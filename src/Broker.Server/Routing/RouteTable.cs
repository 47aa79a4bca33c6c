using Broker.Protocol.Subjects;

namespace Broker.Server.Routing;

/// <summary>
/// The routes in use, by the tokens of their subjects, so that those a filter concerns are found without looking at the
/// others. Not thread-safe: the router's lock guards it.
/// </summary>
/// <remarks>
/// Bounded in routes and in bytes, and in work: looking for what a filter concerns is paid for by the routes that were added
/// since. A client that subscribes to <c>*.x</c> again and again, over a hundred thousand subjects, would otherwise hold the lock
/// for a walk through all of them each time; once what was paid is used up, all routes expire instead, and the table is empty.
/// </remarks>
internal sealed class RouteTable(ByteKeyComparer comparer, int capacity)
{
    /// <summary>The most bytes that routes and nodes hold together, about.</summary>
    internal const long MostCost = 64L * 1024 * 1024;

    /// <summary>How many nodes a subscription may look at in any case.</summary>
    internal const int FreeSteps = 1024;

    // A node with a dictionary of one token, and the token.
    private const int NodeCost = 352;
    private const int StepsPerRoute = 64;
    private const int MostCredit = 1024 * 1024;

    private readonly Stack<(RouteNode Node, int Position)> _pending = new();
    private RouteNode _root = new();
    private int _credit;

    internal int Count { get; private set; }

    /// <summary>About how many bytes are held.</summary>
    internal long Cost { get; private set; }

    /// <summary>How many nodes subscriptions have looked at so far.</summary>
    internal long Steps { get; private set; }

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
        if (Count >= capacity || Cost + route.Cost > MostCost)
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
                Cost += NodeCost;
            }

            node = child;
        }

        node.Route = route;
        Count++;
        Cost += route.Cost;
        _credit = Math.Min(_credit + StepsPerRoute, MostCredit);
    }

    /// <summary>Expires the routes of every subject that <paramref name="filter"/> matches.</summary>
    internal void Expire(ReadOnlySpan<byte> filter)
    {
        _pending.Clear();
        _pending.Push((_root, 0));
        _credit = Math.Max(_credit, FreeSteps);
        while (_pending.TryPop(out (RouteNode Node, int Position) at))
        {
            Steps++;
            if (--_credit < _pending.Count)
            {
                ExpireAll();
                return;
            }

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
                if (children.Count > _credit)
                {
                    ExpireAll();
                    return;
                }

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
        _pending.Clear();
    }

    // The nodes go too: each is then walked once more than it was added to, however often somebody subscribes to a tail.
    private void ExpireBelow(RouteNode top)
    {
        var nodes = new Stack<RouteNode>();
        nodes.Push(top);
        while (nodes.TryPop(out RouteNode? node))
        {
            if (node != top)
            {
                Steps++;
                Cost -= NodeCost;
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

        top.Children = null;
    }

    private void Expire(RouteNode node)
    {
        if (node.Route is { } route)
        {
            route.Expire();
            node.Route = null;
            Count--;
            Cost -= route.Cost;
        }
    }

    private static RouteNode? Child(RouteNode node, ReadOnlySpan<byte> token)
        => node.Children?.GetAlternateLookup<ReadOnlySpan<byte>>().TryGetValue(token, out RouteNode? child) == true ? child : null;
}
