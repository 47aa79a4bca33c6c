using System.Numerics;
using System.Runtime.CompilerServices;
using Broker.Protocol;

namespace Broker.Server;

/// <summary>
/// An index of the stored routes by the tokens of their subjects. It finds the routes that match a filter, and does not
/// visit the other routes. Not thread-safe: the router's lock guards the index.
/// </summary>
/// <remarks>
/// <para>The number of routes, their bytes and the work are limited.</para>
/// <para>Each added route increases a credit, and each node that the search for a filter visits reduces the credit. If
/// the credit is used up, all routes expire and the index is empty. Without this limit, a client could repeatedly
/// subscribe to <c>*.x</c>: with a hundred thousand stored subjects, each SUB would hold the lock for a walk through
/// all of them.</para>
/// </remarks>
internal sealed class RouteTokenIndex(ulong seed, int capacity)
{
    /// <summary>The approximate limit of bytes for routes and nodes together.</summary>
    internal const long MaxCost = 64L * 1024 * 1024;

    /// <summary>The number of nodes that a changed subscription may visit even without credit.</summary>
    internal const int FreeSteps = 1024;

    // The approximate bytes of a node with a token and a small table, and of a slot in such a table.
    private const int NodeCost = 224;
    private const int SlotCost = 24;
    private const int StepsPerRoute = 64;
    private const int MaxCredit = 1024 * 1024;

    // The number of compared bytes that count as one visited node.
    private const int BytesPerStep = 32;

    // With this many slots for each route, a set of the hash table is rarely full.
    private const int SlotsPerRoute = 4;

    private readonly Stack<(RouteNode Node, int Position)> _pending = new();
    private readonly Stack<RouteNode> _path = new();

    private RouteNode _root = new([]);
    private int _nodes;
    private int _credit;

    /// <summary>The hash table of all routes. Any thread may search it without the lock.</summary>
    internal RouteHashTable BySubject { get; } = new((int)BitOperations.RoundUpToPowerOf2((uint)capacity) * SlotsPerRoute);

    /// <summary>Decides which routes are stored.</summary>
    internal RouteAdmission Admission { get; } = new(capacity);

    internal int Count { get; private set; }

    /// <summary>The approximate number of bytes that routes and nodes use.</summary>
    internal long Cost { get; private set; }

    /// <summary>The total number of nodes and routes that changes of subscriptions have visited.</summary>
    internal long Steps { get; private set; }

    /// <summary>
    /// Returns the current route of a subject; null if the route is not stored. Any thread may call this method without
    /// the lock.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Route? Find(ReadOnlySpan<byte> subject, uint hash) => BySubject.Find(subject, hash);

    /// <summary>Adds the route of a subject. The subject must not have a stored route.</summary>
    internal void Add(Route route, uint hash)
    {
        if (Cost + route.Cost > MaxCost && (long)_nodes * NodeCost > MaxCost / 4 * 3)
        {
            // The nodes of expired routes remain. Before they use up the memory for routes, all routes expire and all
            // nodes are removed.
            ExpireAll();
        }

        // Routes of subjects that are never used again would fill the memory. Such routes are removed one at a time,
        // and routes in use remain.
        while (Count != 0 && (Count >= capacity || Cost + route.Cost > MaxCost))
        {
            Forget(BySubject.RemoveNext()!);
        }

        RouteNode? node = _root;
        int position = 0;
        while (node is not null)
        {
            node = Insert(node, route, ref position);
        }

        Count++;
        Cost += route.Cost + SlotCost;
        _credit = Math.Min(_credit + StepsPerRoute, MaxCredit);
        if (BySubject.Add(route, hash) is { } displaced)
        {
            Forget(displaced);
        }
    }

    /// <summary>Expires the routes of all subjects that match <paramref name="filter"/>.</summary>
    internal void Expire(ReadOnlySpan<byte> filter)
    {
        _pending.Clear();
        _pending.Push((_root, 0));
        _credit = Math.Max(_credit, FreeSteps);
        while (_pending.TryPop(out (RouteNode Node, int Position) at))
        {
            Charge(1);
            if (at.Position > filter.Length)
            {
                ExpireHere(at.Node);
            }
            else
            {
                ReadOnlySpan<byte> token = TokenEntry.TokenAt(filter, at.Position);
                if (token is [Subject.AnyTail] && at.Position + 1 == filter.Length)
                {
                    ExpireBelow(at.Node);
                }
                else
                {
                    Visit(at.Node, token, filter, at.Position + token.Length + 1);
                }
            }

            if (_credit < _pending.Count)
            {
                ExpireAll();
                return;
            }
        }
    }

    // Visits the children of a node that match one token of the filter.
    private void Visit(RouteNode node, ReadOnlySpan<byte> token, ReadOnlySpan<byte> filter, int next)
    {
        if (token is not [Subject.AnyToken])
        {
            int slot = node.Children.IndexOf(token, Hash(token));
            if (slot >= 0)
            {
                Visit(node, slot, filter, next);
            }
        }
        else if (node.Children.Count > _credit)
        {
            _credit = -1;
            return;
        }
        else
        {
            for (int slot = 0; slot < node.Children.Length && _credit >= _pending.Count; slot++)
            {
                // Removing a route may move another entry into the slot.
                while (Visit(node, slot, filter, next))
                {
                }
            }
        }

        node.Children.Trim();
    }

    // Returns true if the slot had a route that expired. The slot may then contain another entry.
    private bool Visit(RouteNode node, int slot, ReadOnlySpan<byte> filter, int next)
    {
        TokenEntry? entry = node.Children[slot];
        if (entry is RouteNode branch)
        {
            _pending.Push((branch, next));
        }
        else if (entry is not null)
        {
            var route = (Route)entry;
            ReadOnlySpan<byte> subject = route.Subject;
            int position = route.Position + TokenEntry.TokenAt(subject, route.Position).Length + 1;
            Charge(1 + (Math.Max(0, subject.Length - position) / BytesPerStep));
            bool matches = next > filter.Length || position > subject.Length
                ? next > filter.Length && position > subject.Length
                : Subject.Matches(filter[next..], subject[position..]);
            if (matches)
            {
                Expire(route);
                node.Children.RemoveAt(slot);
                return true;
            }
        }

        return false;
    }

    // Performs one step of an insertion. Returns the next node, or null if the route is inserted.
    private RouteNode? Insert(RouteNode node, Route route, ref int position)
    {
        if (position > route.Subject.Length)
        {
            node.Route = route;
            return null;
        }

        int start = position;
        ReadOnlySpan<byte> token = TokenEntry.TokenAt(route.Subject, start);
        position += token.Length + 1;
        uint hash = Hash(token);
        int slot = node.Children.IndexOf(token, hash);
        if (slot < 0)
        {
            route.Position = start;
            node.Children.Add(hash, route);
            return null;
        }

        if (node.Children[slot] is RouteNode known)
        {
            return known;
        }

        // The route that occupied the slot moves one token down, where both routes may collide again.
        var made = new RouteNode(token.ToArray());
        int next = position;
        Insert(made, (Route)node.Children[slot]!, ref next);
        node.Children.Replace(slot, made);
        Cost += NodeCost;
        _nodes++;
        return made;
    }

    private void ExpireAll()
    {
        ExpireBelow(_root);
        _root = new RouteNode([]);
        _pending.Clear();
    }

    // The nodes are removed too. So a later call does not visit them again, even if a client repeatedly subscribes to
    // a filter that ends with '>'.
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
                _nodes--;
                ExpireHere(node);
            }

            for (int slot = 0; slot < node.Children.Length; slot++)
            {
                TokenEntry? entry = node.Children[slot];
                if (entry is RouteNode child)
                {
                    nodes.Push(child);
                }
                else if (entry is not null)
                {
                    Steps++;
                    Expire((Route)entry);
                }
            }
        }

        top.Children = default;
    }

    private void ExpireHere(RouteNode node)
    {
        if (node.Route is { } route)
        {
            Expire(route);
            node.Route = null;
        }
    }

    // Removes one route that the hash table does not contain any more, with the nodes that only this route needed.
    private void Forget(Route route)
    {
        ReadOnlySpan<byte> subject = route.Subject;
        RouteNode node = _root;
        int position = 0;
        _path.Clear();
        while (true)
        {
            if (position > subject.Length)
            {
                node.Route = null;
                break;
            }

            ReadOnlySpan<byte> token = TokenEntry.TokenAt(subject, position);
            int slot = node.Children.IndexOf(token, Hash(token));
            if (node.Children[slot] is not RouteNode next)
            {
                node.Children.RemoveAt(slot);
                node.Children.Trim();
                break;
            }

            _path.Push(node);
            node = next;
            position += token.Length + 1;
        }

        while (node.Children.Count == 0 && node.Route is null && _path.TryPop(out RouteNode? parent))
        {
            parent.Children.RemoveAt(parent.Children.IndexOf(node.Bytes, Hash(node.Bytes)));
            parent.Children.Trim();
            Cost -= NodeCost;
            _nodes--;
            node = parent;
        }

        Detach(route);
    }

    private void Expire(Route route)
    {
        BySubject.Remove(route);
        Detach(route);
    }

    private void Detach(Route route)
    {
        route.Expire();
        Count--;
        Cost -= route.Cost + SlotCost;
    }

    private void Charge(int steps)
    {
        Steps += steps;
        _credit -= steps;
    }

    private uint Hash(ReadOnlySpan<byte> token) => ByteHash.Compute(token, seed);
}
