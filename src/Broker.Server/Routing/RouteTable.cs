using System.Numerics;
using System.Runtime.CompilerServices;
using Broker.Protocol.Subjects;
using Broker.Server.Collections;

namespace Broker.Server.Routing;

/// <summary>
/// The routes in use, by the tokens of their subjects as far as several share them, so that those a filter concerns are found
/// without looking at the others. Not thread-safe: the router's lock guards it.
/// </summary>
/// <remarks>
/// Bounded in routes and in bytes, and in work: looking for what a filter concerns is paid for by the routes that were added
/// since. A client that subscribes to <c>*.x</c> again and again, over a hundred thousand subjects, would otherwise hold the lock
/// for a walk through all of them each time; once what was paid is used up, all routes expire instead, and the table is empty.
/// </remarks>
internal sealed class RouteTable(ulong seed, int capacity)
{
    /// <summary>The most bytes that routes and nodes hold together, about.</summary>
    internal const long MostCost = 64L * 1024 * 1024;

    /// <summary>How many nodes a subscription may look at in any case.</summary>
    internal const int FreeSteps = 1024;

    // A node with a token and a table of few; a slot in such a table.
    private const int NodeCost = 224;
    private const int SlotCost = 24;
    private const int StepsPerRoute = 64;
    private const int MostCredit = 1024 * 1024;

    // To compare so much is as much work as to look at a node.
    private const int BytesPerStep = 32;

    // Beyond this a subject is remembered at its second sight.
    private const int FewRoutes = 1024;
    private const int Sights = 256 * 1024;

    // How many looks are counted before it is seen whether what is remembered serves; where it does not, one in so many takes another's place.
    private const int Looks = 8192;
    private const int CrowdedPerRoute = 16;

    // So that hardly a set is full while half of them are not.
    private const int SlotsPerRoute = 4;

    private readonly Stack<(RouteNode Node, int Position)> _pending = new();
    private readonly Stack<RouteNode> _path = new();

    // Hashes of subjects that have been published to once, lately.
    private uint[]? _sights;
    private uint _coin;
    private bool _isCrowded;
    private uint _turnedAway;
    private int _looks;
    private long _hits;
    private RouteNode _root = new([]);
    private int _nodes;
    private int _credit;

    /// <summary>All of them. Any thread may search there, without the lock.</summary>
    internal RouteSets BySubject { get; } = new((int)BitOperations.RoundUpToPowerOf2((uint)capacity) * SlotsPerRoute);

    internal int Count { get; private set; }

    /// <summary>About how many bytes are held.</summary>
    internal long Cost { get; private set; }

    /// <summary>How many nodes, and routes in the place of one, subscriptions have looked at so far.</summary>
    internal long Steps { get; private set; }

    /// <summary>The current route of a subject, if it is remembered. Any thread, without the lock.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Route? Find(ReadOnlySpan<byte> subject, uint hash) => BySubject.Find(subject, hash);

    /// <summary>Counts a look for a route that was not there, and those before it that found theirs.</summary>
    /// <remarks>
    /// Where there are many times more subjects than there is room for, each that comes in puts one out that is as likely to come again: then
    /// hardly any is let in, for that is what most of a look costs.
    /// </remarks>
    internal void CountMiss(int hits)
    {
        _hits += hits;
        if (++_looks == Looks)
        {
            _isCrowded = _hits < Looks;
            _looks = 0;
            _hits = 0;
        }
    }

    /// <summary>
    /// Whether a subject that is not remembered should be: while there is plenty of room at once, else when it is not published to for the first
    /// time lately. Most subjects of answers never come again.
    /// </summary>
    internal bool IsWorthKeeping(uint hash)
    {
        if (Count < FewRoutes)
        {
            return true;
        }

        if (_isCrowded && Count >= capacity - 1 && _turnedAway++ % CrowdedPerRoute != 0)
        {
            return false;
        }

        _sights ??= new uint[Sights];
        ref uint sight = ref _sights[hash % Sights];
        if (sight == hash)
        {
            return true;
        }

        // Of two that take turns in one place neither would ever be known if each put the other out each time.
        _coin = (_coin * 1_103_515_245) + 12_345;
        if (sight == 0 || (int)_coin < 0)
        {
            sight = hash;
        }

        return false;
    }

    /// <summary>From now on no subject was ever seen that is not remembered. For benchmarks, which ask for the same ones again and again.</summary>
    internal void ForgetSights() => _sights?.AsSpan().Clear();

    /// <summary>Adds the route of a subject that has none.</summary>
    internal void Add(Route route, uint hash)
    {
        if (Cost + route.Cost > MostCost && (long)_nodes * NodeCost > MostCost / 4 * 3)
        {
            // What expires by a subscription leaves its nodes: before these crowd the routes out, all begin anew.
            ExpireAll();
        }

        // Subjects that never come again would fill the memory. They go one by one, and what is in use stays.
        while (Count != 0 && (Count >= capacity || Cost + route.Cost > MostCost))
        {
            Forget(BySubject.RemoveNext()!);
        }

        RouteNode? node = _root;
        int position = 0;
        while (node is not null)
        {
            node = Put(node, route, ref position);
        }

        Count++;
        Cost += route.Cost + SlotCost;
        _credit = Math.Min(_credit + StepsPerRoute, MostCredit);
        if (BySubject.Add(route, hash) is { } displaced)
        {
            Forget(displaced);
        }
    }

    /// <summary>Expires the routes of every subject that <paramref name="filter"/> matches.</summary>
    internal void Expire(ReadOnlySpan<byte> filter)
    {
        _pending.Clear();
        _pending.Push((_root, 0));
        _credit = Math.Max(_credit, FreeSteps);
        while (_pending.TryPop(out (RouteNode Node, int Position) at))
        {
            Pay(1);
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

    // What of a node's children a filter's token concerns.
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
                // Another may have moved up.
                while (Visit(node, slot, filter, next))
                {
                }
            }
        }

        node.Children.Trim();
    }

    // True when the slot held a route that has expired, and thus holds something else now.
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
            int position = route.Place + TokenEntry.TokenAt(subject, route.Place).Length + 1;
            Pay(1 + (Math.Max(0, subject.Length - position) / BytesPerStep));
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

    // One step of an insertion: the node to go on with, or null when the route has found its place.
    private RouteNode? Put(RouteNode node, Route route, ref int position)
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
            route.Place = start;
            node.Children.Add(hash, route);
            return null;
        }

        if (node.Children[slot] is RouteNode known)
        {
            return known;
        }

        // The one that stood here goes one token on, and both may meet there again.
        var made = new RouteNode(token.ToArray());
        int next = position;
        Put(made, (Route)node.Children[slot]!, ref next);
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

    // Takes one route out that is not found by its subject any more, and the nodes that were there for it alone.
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

        Leave(route);
    }

    private void Expire(Route route)
    {
        BySubject.Remove(route);
        Leave(route);
    }

    private void Leave(Route route)
    {
        route.Expire();
        Count--;
        Cost -= route.Cost + SlotCost;
    }

    private void Pay(int steps)
    {
        Steps += steps;
        _credit -= steps;
    }

    private uint Hash(ReadOnlySpan<byte> token) => ByteHash.Compute(token, seed);
}
