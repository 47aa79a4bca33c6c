using System.Runtime.InteropServices;

namespace Broker.Server;

/// <summary>
/// Builds a route from the subscriptions that match a subject: checks permissions and sorts the subscriptions by queue
/// group. A build for very many subscriptions takes long, so it can be done in steps. One thread at a time uses a
/// build. The router reports changed subscriptions to the build under the router's lock.
/// </summary>
/// <param name="seed">The seed of the router's hashes.</param>
internal sealed class RouteBuild(ulong seed)
{
    // The largest number of added subscriptions that a build records.
    private const int MaxAdded = 64 * 1024;

    // The largest capacity of the set of targets that is kept for the next build.
    private const int MaxTargetsKept = 4096;

    // A queue group counts as one step, plus one step for each MembersPerStep members that are copied into its array.
    private const int MembersPerStep = 64;

    private byte[] _subject = [];
    private readonly HashSet<SubscriptionOwner> _targets = [];
    private Subscription[] _found = [];
    private InterruptedMatch? _match;
    private bool _isOnceEach;
    private List<Subscription>? _added;
    private List<RenamedDelivery>? _renamed;
    private List<Subscription>? _own;
    private RemoteInterest? _remote;
    private Dictionary<byte[], Members>? _groups;
    private Dictionary<byte[], Members>.ValueCollection.Enumerator _group;
    private Members? _lastGroup;
    private QueueGroup[]? _queues;
    private SubjectSet? _reserved;
    private AccessRules? _lastAccess;
    private bool _lastResult;
    private int _at;
    private int _plain;
    private int _grouped;
    private int _queuesMade;
    private long _groupCost;

    internal byte[] Subject => _subject;

    internal int Found => _found.Length;

    /// <summary>Whether the subscriptions are still being searched. The router continues the search.</summary>
    internal bool IsMatching => _match is not null;

    /// <summary>The search; only while <see cref="IsMatching"/> is true. Guarded by the router's lock.</summary>
    internal InterruptedMatch Match => _match!;

    /// <summary>Whether the router stores the route, even if it is small.</summary>
    internal bool IsKept { get; private set; } = true;

    /// <summary>The number of subscriptions in the route. It is valid when <see cref="IsComplete"/> is true.</summary>
    internal int MemberCount { get; private set; }

    internal bool IsComplete { get; private set; }

    /// <summary>
    /// Whether peer servers have interest in the subject. Which queue groups they receive depends on all other
    /// subscriptions, so later changes cannot be applied to the route.
    /// </summary>
    internal bool HasRemoteInterest { get; private set; }

    /// <summary>The groups by their names, for a large route; null for other routes.</summary>
    internal Dictionary<byte[], QueueGroup>? GroupsByName { get; private set; }

    /// <summary>
    /// Whether the router reports changed subscriptions to this build, so that the build may take several steps.
    /// Guarded by the router's lock.
    /// </summary>
    internal bool IsRegistered { get; set; }

    /// <summary>
    /// Whether a change occurred that the build cannot apply. If so, only the publisher that began the build may use
    /// the route, and only for its current messages. Guarded by the router's lock.
    /// </summary>
    internal bool IsOutOfDate { get; set; }

    /// <summary>The subscriptions that were added since the build began. Guarded by the router's lock.</summary>
    internal IReadOnlyList<Subscription> Added => _added ?? [];

    /// <summary>
    /// The number of subscriptions that were removed since the build began. Guarded by the router's lock.
    /// </summary>
    internal int RemovedCount { get; private set; }

    /// <summary>
    /// Records an added or removed subscription that matches the subject. The caller holds the router's lock.
    /// </summary>
    internal void RecordChange(Subscription subscription)
    {
        // The search may or may not find a subscription that is added meanwhile.
        if (subscription is ShadowSubscription or ReservedFilter or RemoteSubscription || _added?.Count == MaxAdded || (IsMatching && !subscription.IsClosed))
        {
            IsOutOfDate = true;
        }
        else if (subscription.IsClosed)
        {
            RemovedCount++;
        }
        else
        {
            (_added ??= []).Add(subscription);
        }
    }

    /// <summary>Begins a build and discards the previous build.</summary>
    /// <param name="subject">The subject.</param>
    /// <param name="found">The subscriptions that match the subject. The build owns and changes the array.</param>
    /// <param name="reserved">The reserved subjects of the account; null if no subject is reserved.</param>
    internal RouteBuild Begin(byte[] subject, Subscription[] found, SubjectSet? reserved = null)
    {
        Clear();
        _subject = subject;
        SetFound(found, reserved);
        return this;
    }

    /// <summary>Begins a build with a search that is not complete.</summary>
    /// <param name="subject">The subject.</param>
    /// <param name="match">The search.</param>
    /// <param name="isKept">Whether the router stores the route, even if it is small.</param>
    internal RouteBuild Begin(byte[] subject, InterruptedMatch match, bool isKept)
    {
        Clear();
        _subject = subject;
        _match = match;
        IsKept = isKept;
        return this;
    }

    /// <summary>
    /// Continues the build with the subscriptions that the search has found. The caller holds the router's lock.
    /// </summary>
    /// <param name="reserved">The reserved subjects of the account; null if no subject is reserved.</param>
    internal void EndMatch(SubjectSet? reserved)
    {
        SetFound([.. Match.Found], reserved);
        _match = null;
    }

    /// <summary>Releases all references.</summary>
    internal void Clear()
    {
        _subject = [];
        _found = [];
        _match = null;
        IsKept = true;
        _targets.Clear();
        if (_targets.Capacity > MaxTargetsKept)
        {
            _targets.TrimExcess();
        }

        _isOnceEach = false;
        _added = null;
        _renamed = null;
        _own = null;
        _remote = null;
        HasRemoteInterest = false;
        _groups = null;
        _group = default;
        _lastGroup = null;
        _queues = null;
        _reserved = null;
        _lastAccess = null;
        _lastResult = false;
        _at = _plain = _grouped = _queuesMade = 0;
        _groupCost = 0;
        MemberCount = RemovedCount = 0;
        IsComplete = IsRegistered = IsOutOfDate = false;
        GroupsByName = null;
    }

    /// <summary>
    /// Continues the build. Returns the number of steps: <paramref name="maxSteps"/> or a few more, or fewer if the
    /// build is complete.
    /// </summary>
    internal long Advance(int maxSteps)
    {
        long done = 0;
        for (; _at < _found.Length && done < maxSteps; done++)
        {
            Process(_found[_at++]);
        }

        if (_at < _found.Length)
        {
            return done;
        }

        // The server's own subscriptions come after the subscriptions of clients.
        _own?.ForEach(AddMember);
        _own = null;
        if (_remote is not null)
        {
            AddRemoteDeliveries();
        }

        if (_groups is not null)
        {
            done += MakeQueues(maxSteps - done);
        }

        IsComplete = _queuesMade == (_groups?.Count ?? 0);
        MemberCount = _plain + _grouped + (_renamed?.Count ?? 0);
        return done;
    }

    /// <summary>
    /// Returns the route of a complete build. For a reserved subject, this is the route that
    /// <see cref="Route.Reserved"/> creates.
    /// </summary>
    internal Route ToRoute()
    {
        RenamedDelivery[] renamed = _renamed is null ? [] : [.. _renamed.Where(static r => r.Subscription.Queue is null)];
        Subscription[] plain = _plain == _found.Length ? _found : _found.AsSpan(0, _plain).ToArray();
        var route = new Route(_subject, plain, _queues ?? [], renamed, _groupCost, _isOnceEach);
        return _reserved is null ? route : Route.Reserved(route);
    }

    private void SetFound(Subscription[] found, SubjectSet? reserved)
    {
        _found = found;
        _isOnceEach = found.Length >= Route.MinWide;
        _reserved = reserved is not null && Array.Exists(found, static s => s is ReservedFilter) ? reserved : null;
    }

    private void Process(Subscription subscription)
    {
        if (_reserved is not null && !MayReceiveReserved(subscription))
        {
            return;
        }

        if (!subscription.IsInternal)
        {
            AddMember(subscription);
        }
        else if (subscription is RemoteSubscription peer)
        {
            HasRemoteInterest = true;
            // A group must not choose a peer that may not receive the subject.
            if (peer.Access is not { LimitsReceiving: true } access || access.MayReceive(_subject, default))
            {
                (_remote ??= new RemoteInterest()).Add(peer);
            }
        }
        else if (subscription is not ShadowSubscription shadow)
        {
            (_own ??= []).Add(subscription);
        }
        else if (shadow.Resolve(_subject) is { } renamed)
        {
            // The members of one queue group may belong to several accounts.
            (_renamed ??= []).Add(renamed);
            if (renamed.Subscription.Queue is { } queue)
            {
                MembersOf(queue).Renamed.Add(renamed);
            }
        }
    }

    // A subscription without permission to receive the subject is not added to the route. So a delivery need not check
    // permissions.
    private void AddMember(Subscription subscription)
    {
        byte[]? queue = subscription.Queue;
        if (subscription.Access is { LimitsReceiving: true } access)
        {
            // Many clients often have the same permissions. The result is then the same for all their subscriptions
            // without a queue group.
            bool may = access == _lastAccess && queue is null ? _lastResult : access.MayReceive(_subject, queue);
            if (queue is null)
            {
                (_lastAccess, _lastResult) = (access, may);
            }

            if (!may)
            {
                return;
            }
        }

        if (queue is null)
        {
            // The write index never passes the read index.
            _found[_plain++] = subscription;
            _isOnceEach = _isOnceEach && subscription.Subscriber is { } target && _targets.Add(target);
            return;
        }

        MembersOf(queue).Own.Add(subscription);
        _grouped++;
    }

    // There are no more deliveries than subscriptions of peers, so the write index does not pass the read index.
    private void AddRemoteDeliveries()
    {
        foreach (RemoteDelivery delivery in _remote!.Resolve(name => _groups?.ContainsKey(name) is true))
        {
            // A batch delivers all its messages to one subscriber after the other. But each message of a shared group
            // chooses one of several.
            _isOnceEach = _isOnceEach && delivery.SharedGroups is null;
            AddMember(delivery);
        }

        _remote = null;
    }

    // A subject is never reserved for parts of the server or for other accounts, but only for clients of this account.
    private bool MayReceiveReserved(Subscription subscription)
        => !subscription.IsInternal
            && subscription.Access is { } access
            && _reserved!.Cover(subscription.Filter, default).Plain
            && access.MayReceiveReserved(_subject, subscription.Queue, _reserved);

    // Consecutive subscriptions mostly belong to the same group.
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
            GroupsByName = _found.Length < LargeRoutes.MinSubscriptions ? null : new(_queues.Length, new ByteKeyComparer(seed));
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
