using System.Runtime.InteropServices;
using Broker.Server.Collections;
using Broker.Server.Security;

namespace Broker.Server.Routing;

/// <summary>
/// Makes a route of the subscriptions that a subject has: who may receive it, and of which queue group. For very many that takes long, and so
/// it goes by steps. Used by one thread at a time; what changes meanwhile it is told under the router's lock.
/// </summary>
/// <param name="seed">Of the router's hashes.</param>
internal sealed class RouteBuild(ulong seed)
{
    // So many that came late are remembered.
    private const int MostLate = 64 * 1024;

    // Room for so many targets is kept for the next route.
    private const int MostTargetsKept = 4096;

    // What a group's members cost to copy, in subscriptions looked at.
    private const int MembersPerStep = 64;

    private byte[] _subject = [];
    private readonly HashSet<Subscriber> _targets = [];
    private Subscription[] _found = [];
    private bool _isOnceEach;
    private List<Subscription>? _late;
    private List<RenamedDelivery>? _renamed;
    private List<Subscription>? _own;
    private Dictionary<byte[], Members>? _groups;
    private Dictionary<byte[], Members>.ValueCollection.Enumerator _group;
    private Members? _lastGroup;
    private QueueGroup[]? _queues;
    private AccessRules? _asked;
    private bool _answer;
    private int _at;
    private int _plain;
    private int _grouped;
    private int _queuesMade;
    private long _groupCost;

    internal byte[] Subject => _subject;

    internal int Found => _found.Length;

    /// <summary>How many subscriptions the route has. When it <see cref="IsWhole"/>.</summary>
    internal int MemberCount { get; private set; }

    internal bool IsWhole { get; private set; }

    /// <summary>The groups by their names, for a route that grows; null for none.</summary>
    internal Dictionary<byte[], QueueGroup>? GroupsByName { get; private set; }

    /// <summary>Whether the router tells it of changes, so that it may take its time. Under the router's lock.</summary>
    internal bool IsTold { get; set; }

    /// <summary>Whether something has changed that it cannot take in: the route is good for who began it, and for nobody after. Under the router's lock.</summary>
    internal bool IsOutOfDate { get; set; }

    /// <summary>Those that have come since it began. Under the router's lock.</summary>
    internal IReadOnlyList<Subscription> Late => _late ?? [];

    /// <summary>How many have gone since. Under the router's lock.</summary>
    internal int Gone { get; private set; }

    /// <summary>A subscription to the subject has come or gone. Under the router's lock.</summary>
    internal void Change(Subscription subscription)
    {
        if (subscription is ShadowSubscription || _late?.Count == MostLate)
        {
            IsOutOfDate = true;
        }
        else if (subscription.IsClosed)
        {
            Gone++;
        }
        else
        {
            (_late ??= []).Add(subscription);
        }
    }

    /// <summary>Begins; what was built before is forgotten.</summary>
    /// <param name="subject">The subject.</param>
    /// <param name="found">What matches it; the build's from now on.</param>
    internal RouteBuild Begin(byte[] subject, Subscription[] found)
    {
        Clear();
        _subject = subject;
        _found = found;
        _isOnceEach = found.Length >= Route.LeastWide;
        return this;
    }

    /// <summary>Lets go of everything.</summary>
    internal void Clear()
    {
        _subject = [];
        _found = [];
        _targets.Clear();
        if (_targets.Capacity > MostTargetsKept)
        {
            _targets.TrimExcess();
        }

        _isOnceEach = false;
        _late = null;
        _renamed = null;
        _own = null;
        _groups = null;
        _group = default;
        _lastGroup = null;
        _queues = null;
        _asked = null;
        _answer = false;
        _at = _plain = _grouped = _queuesMade = 0;
        _groupCost = 0;
        MemberCount = Gone = 0;
        IsWhole = IsTold = IsOutOfDate = false;
        GroupsByName = null;
    }

    /// <summary>Goes on. Returns how much it has done, which is <paramref name="most"/> or a little more unless it is whole then.</summary>
    internal long Advance(int most)
    {
        long done = 0;
        for (; _at < _found.Length && done < most; done++)
        {
            Look(_found[_at++]);
        }

        if (_at < _found.Length)
        {
            return done;
        }

        // What the server has subscribed to itself comes behind the clients.
        _own?.ForEach(Take);
        _own = null;
        if (_groups is not null)
        {
            done += MakeQueues(most - done);
        }

        IsWhole = _queuesMade == (_groups?.Count ?? 0);
        MemberCount = _plain + _grouped + (_renamed?.Count ?? 0);
        return done;
    }

    /// <summary>The route, once it is whole.</summary>
    internal Route ToRoute()
    {
        RenamedDelivery[] renamed = _renamed is null ? [] : [.. _renamed.Where(static r => r.Subscription.Queue is null)];
        Subscription[] plain = _plain == _found.Length ? _found : _found.AsSpan(0, _plain).ToArray();
        return new Route(_subject, plain, _queues ?? [], renamed, _groupCost, _isOnceEach);
    }

    private void Look(Subscription subscription)
    {
        if (!subscription.IsInternal)
        {
            Take(subscription);
        }
        else if (subscription is not ShadowSubscription shadow)
        {
            (_own ??= []).Add(subscription);
        }
        else if (shadow.Resolve(_subject) is { } renamed)
        {
            // Members of one queue group may be in several accounts.
            (_renamed ??= []).Add(renamed);
            if (renamed.Subscription.Queue is { } queue)
            {
                MembersOf(queue).Renamed.Add(renamed);
            }
        }
    }

    // Those who may not receive the subject are not in its route, however they came to be found: a delivery need not ask.
    private void Take(Subscription subscription)
    {
        byte[]? queue = subscription.Queue;
        if (subscription.Access is { LimitsReceiving: true } access)
        {
            // Users of one kind often come in numbers, and their plain subscriptions have one answer.
            bool may = access == _asked && queue is null ? _answer : access.MayReceive(_subject, queue);
            if (queue is null)
            {
                (_asked, _answer) = (access, may);
            }

            if (!may)
            {
                return;
            }
        }

        if (queue is null)
        {
            // Never beyond where it is read.
            _found[_plain++] = subscription;
            _isOnceEach = _isOnceEach && subscription.Subscriber is { } target && _targets.Add(target);
            return;
        }

        MembersOf(queue).Own.Add(subscription);
        _grouped++;
    }

    // Of many subscriptions those of one group mostly stand together.
    private Members MembersOf(byte[] queue)
    {
        if (_lastGroup is { } last && queue.AsSpan().SequenceEqual(last.Name))
        {
            return last;
        }

        _groups ??= new Dictionary<byte[], Members>(new ByteKeyComparer(seed));
        ref Members? known = ref CollectionsMarshal.GetValueRefOrAddDefault(_groups, queue, out _);
        return _lastGroup = known ??= new Members(queue);
    }

    private long MakeQueues(long most)
    {
        if (_queues is null)
        {
            _queues = new QueueGroup[_groups!.Count];
            _group = _groups.Values.GetEnumerator();
            GroupsByName = _found.Length < LargeRoutes.Least ? null : new(_queues.Length, new ByteKeyComparer(seed));
        }

        long done = 0;
        while (done < most && _group.MoveNext())
        {
            Members members = _group.Current;
            var queue = new QueueGroup([.. members.Own], [.. members.Renamed]);
            _queues[_queuesMade++] = queue;
            GroupsByName?.Add(members.Name, queue);
            _groupCost += queue.Cost;
            done += 1 + (queue.Count / MembersPerStep);
        }

        return done;
    }

    private sealed class Members(byte[] name)
    {
        internal byte[] Name => name;

        internal List<Subscription> Own { get; } = [];

        internal List<RenamedDelivery> Renamed { get; } = [];
    }
}
