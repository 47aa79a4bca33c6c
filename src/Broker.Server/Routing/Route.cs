using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace Broker.Server;

/// <summary>
/// The subscribers of one subject: the result of a trie search, which is kept until a subscription changes it.
/// </summary>
/// <remarks>
/// All publishers of the subject share the route. A publisher keeps a reference and only checks
/// <see cref="IsCurrent"/>, so a SUB or UNSUB affects only publishers of subjects that its filter matches. The
/// subscribers of a route do not change, except that later subscriptions are added to the
/// <see cref="LateSubscribers"/> of a large route.
/// </remarks>
internal sealed class Route : TokenEntry
{
    /// <summary>The smallest number of subscriptions of a wide route.</summary>
    internal const int MinWide = 2;

    // The bytes of the object itself and the headers of its arrays.
    private const int OwnCost = 256;

    private readonly RouteExtras? _extras;

    // The LateSubscribers of a large route, the ReplyRoute of a refused route, or the mapping of a mapped subject. A
    // route has at most one of these objects. There are very many routes, so a single field saves memory.
    private volatile object? _growthOrBehind;

    // The key is next to the other fields that a publish reads, so most subjects are compared without access to their
    // bytes. A byte suffices for the length, because the length of a long subject is not compared.
    private readonly ByteKey _subjectKey;
    private readonly byte _subjectLength;
    private readonly RouteTraits _traits;
    private volatile bool _current = true;
    private volatile bool _hasOtherSubscribers;

    // Written by any loop that finds the route, and by the router. A lost update does no harm.
    private bool _wasUsed;

    internal Route(
        byte[] subject, Subscription[] plain, QueueGroup[] queues, RenamedDelivery[] renamed, long queuesCost, bool isOnceEach = false)
        : this(subject, plain, RouteExtras.Of(queues, renamed, queuesCost))
    {
        _hasOtherSubscribers = _extras is not null;
        bool isWide = isOnceEach && plain.Length >= MinWide;
        bool isGroup = plain.Length == 0 && renamed.Length == 0 && queues.Length == 1 && queues[0].IsSmall;
        bool isEmpty = plain.Length == 0 && !_hasOtherSubscribers;
        _traits = If(isEmpty, RouteTraits.Empty) | If(isWide, RouteTraits.Wide) | If(isGroup, RouteTraits.Group)
            | If(isWide || isGroup || (plain.Length == 1 && !_hasOtherSubscribers), RouteTraits.Batchable);
    }

    // Creates a route without subscribers.
    private Route(byte[] subject, RouteTraits traits)
        : this(subject, [], null)
        => _traits = RouteTraits.Empty | traits;

    private Route(byte[] subject, Subscription[] plain, RouteExtras? extras)
        : base(subject)
    {
        _subjectKey = ByteKey.Of(ref MemoryMarshal.GetArrayDataReference(subject), subject.Length);
        _subjectLength = (byte)Math.Min(subject.Length, byte.MaxValue);
        PlainSubscriptions = plain;
        _extras = extras;
    }

    internal byte[] Subject => Bytes;

    /// <summary>The subscriptions without a queue group. Each of them receives the message.</summary>
    internal Subscription[] PlainSubscriptions { get; }

    /// <summary>The queue groups. One member of each group receives the message.</summary>
    internal QueueGroup[] QueueGroups => _extras is null ? [] : _extras.QueueGroups;

    /// <summary>Subscriptions of other accounts that each receive the message under another subject.</summary>
    internal RenamedDelivery[] RenamedDeliveries => _extras is null ? [] : _extras.RenamedDeliveries;

    /// <summary>
    /// Whether the route has subscribers outside <see cref="PlainSubscriptions"/>. If false, a publish reads none of
    /// the other lists.
    /// </summary>
    internal bool HasOtherSubscribers => _hasOtherSubscribers;

    /// <summary>
    /// The number of subscribers outside <see cref="PlainSubscriptions"/>; a queue group counts as one.
    /// </summary>
    internal int OtherSubscribers
        => QueueGroups.Length + RenamedDeliveries.Length
            + (LateSubscribers is { } late ? late.PlainSubscriptions.Count + late.QueueGroups.Count : 0);

    /// <summary>
    /// The subscriptions that were added after the route was built; null if the route is not large.
    /// </summary>
    internal LateSubscribers? LateSubscribers => _growthOrBehind as LateSubscribers;

    /// <summary>The approximate number of bytes that the route uses. Tables of routes limit their total cost.</summary>
    internal long Cost => OwnCost + Bytes.Length + (IntPtr.Size * (long)PlainSubscriptions.Length) + (_extras is null ? 0 : _extras.Cost)
        + (IsReserved ? ReplyRoute!.Cost : 0);

    /// <summary>
    /// Whether the publisher has no permission to publish to the subject. A refused route belongs to one publisher,
    /// which drops the route when its permissions change. Only a refused route of a reserved subject is shared.
    /// </summary>
    internal bool IsRefused => Has(RouteTraits.Refused);

    /// <summary>
    /// Whether the subject is reserved for some clients. All publishers share such a route: it is refused and has no
    /// subscribers. The clients that may use the subject use the <see cref="ReplyRoute"/>, which expires together with
    /// this route.
    /// </summary>
    internal bool IsReserved => Has(RouteTraits.Reserved);

    /// <summary>
    /// The route for messages that the publisher may send although this route is refused: the messages answer a
    /// request, or the subject is reserved for the publisher. Only a refused route has a reply route.
    /// </summary>
    internal Route? ReplyRoute
    {
        get => _growthOrBehind as Route;
        set => _growthOrBehind = value;
    }

    /// <summary>
    /// The mapping of the subject; null if the messages keep their subject. A route with a mapping is also a refused
    /// route, so that a publish to any other subject needs no check for mappings. The route belongs to one publisher.
    /// </summary>
    internal SubjectMapping? Mapping => _growthOrBehind as SubjectMapping;

    internal bool IsEmpty => Has(RouteTraits.Empty);

    /// <summary>
    /// Whether <see cref="PlainSubscriptions"/> has at least two subscriptions, each of a different target. If so,
    /// several messages can be delivered to one target after another, and each target still receives them in order.
    /// </summary>
    internal bool IsWide => Has(RouteTraits.Wide);

    /// <summary>Whether the only subscriber is one small queue group. Such a group does not grow.</summary>
    internal bool IsGroup => Has(RouteTraits.Group);

    /// <summary>
    /// Whether consecutive messages may be delivered as a batch: the route is wide, or has exactly one subscription or
    /// one queue group.
    /// </summary>
    internal bool CanBatch => Has(RouteTraits.Batchable);

    /// <summary>
    /// Whether the route is valid. It becomes false when a matching subscription was added or removed. The publisher
    /// must then ask the router again.
    /// </summary>
    internal bool IsCurrent => _current;

    /// <summary>
    /// Whether this is the route of <paramref name="subject"/>, which has the key <paramref name="key"/>. Short
    /// subjects are compared without a method call.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsOf(ReadOnlySpan<byte> subject, ByteKey key)
        => subject.Length > ByteKey.Short
            ? subject.SequenceEqual(Bytes)
            : _subjectKey.Is(key) && _subjectLength == subject.Length && (subject.Length <= ByteKey.Size || BeginsWith(subject));

    // Compares the bytes of a short subject that are not part of the key.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool BeginsWith(ReadOnlySpan<byte> subject)
        => Vector128.LoadUnsafe(ref MemoryMarshal.GetReference(subject)) == Vector128.LoadUnsafe(ref MemoryMarshal.GetArrayDataReference(Bytes));

    internal void Expire()
    {
        _current = false;
        if (IsReserved)
        {
            ReplyRoute!.Expire();
        }
    }

    /// <summary>The hash of the subject in the table of routes. The lock of that table guards this property.</summary>
    internal uint Hash { get; set; }

    /// <summary>
    /// Whether a publisher has found the route since the last <see cref="ResetUsed"/>. The value is approximate.
    /// </summary>
    internal bool WasUsed => _wasUsed;

    internal void MarkUsed()
    {
        if (!_wasUsed)
        {
            _wasUsed = true;
        }
    }

    /// <summary>Returns and resets <see cref="WasUsed"/>.</summary>
    internal bool ResetUsed()
    {
        bool was = _wasUsed;
        _wasUsed = false;
        return was;
    }

    /// <summary>
    /// Adds a subscription that matches the subject. Returns false if the route must be built again. The caller holds
    /// the router's lock.
    /// </summary>
    internal bool TryAdd(Subscription subscription)
    {
        if (subscription is ShadowSubscription or ReservedFilter or RemoteSubscription)
        {
            return false;
        }

        if (subscription.Access is not { LimitsReceiving: true } access || access.MayReceive(Subject, subscription.Queue))
        {
            LateSubscribers!.Add(subscription);
            _hasOtherSubscribers = true;
        }

        return true;
    }

    /// <summary>
    /// Removes a subscription of the route. Returns false if the route must be built again. The caller holds the
    /// router's lock.
    /// </summary>
    internal bool TryRemove(Subscription subscription)
        => subscription is not (ShadowSubscription or ReservedFilter or RemoteSubscription) && LateSubscribers!.TryRemove();

    /// <summary>
    /// Makes this a large route that can grow. Must be called before other threads can see the route.
    /// </summary>
    internal void MakeGrowable(LateSubscribers growth) => _growthOrBehind = growth;

    /// <summary>Finds the first subscription that receives every message and fulfils a condition.</summary>
    internal Subscription? FindPlain(Predicate<Subscription> wanted)
    {
        if (Array.Find(PlainSubscriptions, wanted) is { } found)
        {
            return found;
        }

        foreach (Subscription subscription in LateSubscribers is { } growth ? growth.PlainSubscriptions.Items : default)
        {
            if (wanted(subscription))
            {
                return subscription;
            }
        }

        return null;
    }

    internal static Route Refused(ReadOnlySpan<byte> subject) => new(subject.ToArray(), RouteTraits.Refused);

    /// <summary>Creates the route of a mapped subject.</summary>
    internal static Route Mapped(ReadOnlySpan<byte> subject, SubjectMapping mapping)
        => new(subject.ToArray(), RouteTraits.Refused) { _growthOrBehind = mapping };

    /// <summary>
    /// Creates the route of a reserved subject for the clients that must not use the subject. All other clients use
    /// <paramref name="route"/>.
    /// </summary>
    internal static Route Reserved(Route route)
        => new(route.Subject, RouteTraits.Refused | RouteTraits.Reserved) { ReplyRoute = route };

    /// <summary>Creates the route for a message's subject in another account, without subscribers.</summary>
    internal static Route InOtherAccount(byte[] subject) => new(subject, RouteTraits.None);

    /// <summary>
    /// Creates a route to one subscription for a single message. The route has no subject and has expired from the
    /// start.
    /// </summary>
    internal static Route ForSingleMessage(Subscription only)
    {
        var route = new Route([], [only], [], [], 0);
        route.Expire();
        return route;
    }

    /// <summary>
    /// Creates the route for all subjects without subscribers whose routes are not stored. The route has expired from
    /// the start.
    /// </summary>
    internal static Route WithoutSubscribers()
    {
        var empty = new Route([], RouteTraits.None);
        empty.Expire();
        return empty;
    }

    private static RouteTraits If(bool condition, RouteTraits traits) => condition ? traits : RouteTraits.None;

    private bool Has(RouteTraits trait) => (_traits & trait) != RouteTraits.None;
}
