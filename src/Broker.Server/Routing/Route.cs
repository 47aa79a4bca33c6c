using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using Broker.Server.Collections;

namespace Broker.Server.Routing;

/// <summary>Where messages of one subject go: what a walk of the trie found, kept until a subscription changes it.</summary>
/// <remarks>
/// Shared by all publishers of the subject. A publisher holds on to it and looks at <see cref="IsCurrent"/> only, so that a SUB or
/// UNSUB costs just those whose subject it concerns. What it leads to does not change but by <see cref="Growth"/>, which large ones have.
/// </remarks>
internal sealed class Route : TokenEntry
{
    /// <summary>From how many on a route may be a wide one.</summary>
    internal const int LeastWide = 2;

    // The object itself and its arrays' headers.
    private const int OwnCost = 256;

    private readonly RouteExtras? _extras;

    // A refused route has only the one behind it, and does not grow; there are very many routes.
    private volatile object? _growthOrBehind;

    // Beside what else a publish looks at, so that most subjects are compared without a look at their bytes. A length of more than a byte is not asked for.
    private readonly ByteKey _subjectKey;
    private readonly byte _subjectLength;
    private readonly RouteTraits _traits;
    private volatile bool _current = true;
    private volatile bool _hasMore;

    // Written by whoever finds it, on any loop, and by the router: what is lost in between is not missed.
    private bool _wasFound;

    internal Route(
        byte[] subject, Subscription[] plain, QueueGroup[] queues, RenamedDelivery[] renamed, long queuesCost, bool isOnceEach = false)
        : this(subject, plain, RouteExtras.Of(queues, renamed, queuesCost))
    {
        _hasMore = _extras is not null;
        bool isWide = isOnceEach && plain.Length >= LeastWide;
        bool isGroup = plain.Length == 0 && renamed.Length == 0 && queues.Length == 1 && queues[0].IsSmall;
        bool isEmpty = plain.Length == 0 && !_hasMore;
        _traits = If(isEmpty, RouteTraits.Empty | RouteTraits.Silent) | If(isWide, RouteTraits.Wide) | If(isGroup, RouteTraits.Group)
            | If(isWide || isGroup || (plain.Length == 1 && !_hasMore), RouteTraits.Runs);
    }

    // Nobody is sent anything by it.
    private Route(byte[] subject, bool isRefused)
        : this(subject, [], null)
        => _traits = RouteTraits.Empty | (isRefused ? RouteTraits.Refused : RouteTraits.Silent);

    private Route(byte[] subject, Subscription[] plain, RouteExtras? extras)
        : base(subject)
    {
        _subjectKey = ByteKey.Of(ref MemoryMarshal.GetArrayDataReference(subject), subject.Length);
        _subjectLength = (byte)Math.Min(subject.Length, byte.MaxValue);
        Plain = plain;
        _extras = extras;
    }

    internal byte[] Subject => Bytes;

    /// <summary>Every one of these is sent the message.</summary>
    internal Subscription[] Plain { get; }

    /// <summary>One of each of these is.</summary>
    internal QueueGroup[] Queues => _extras is null ? [] : _extras.Queues;

    /// <summary>Every one of these is, by another name.</summary>
    internal RenamedDelivery[] Renamed => _extras is null ? [] : _extras.Renamed;

    /// <summary>Whether somebody is sent it who is not in <see cref="Plain"/>: the one thing that a publish of a plain subject looks at.</summary>
    internal bool HasMore => _hasMore;

    /// <summary>What has come to it since it was built; null for nothing.</summary>
    internal RouteGrowth? Growth => _growthOrBehind as RouteGrowth;

    /// <summary>About how many bytes it holds: those who keep routes keep them within a sum of these.</summary>
    internal long Cost => OwnCost + Bytes.Length + (IntPtr.Size * (long)Plain.Length) + (_extras is null ? 0 : _extras.Cost);

    /// <summary>Whether its publisher may not publish to the subject. Such a route is of one publisher and expires with what it may do.</summary>
    internal bool IsRefused => Has(RouteTraits.Refused);

    /// <summary>Where messages go that its publisher may send all the same, as answers; of a refused route only.</summary>
    internal Route? Behind
    {
        get => _growthOrBehind as Route;
        set => _growthOrBehind = value;
    }

    internal bool IsEmpty => Has(RouteTraits.Empty);

    /// <summary>Whether its publisher may publish to the subject, and nobody hears it.</summary>
    internal bool IsSilent => Has(RouteTraits.Silent);

    /// <summary>
    /// Whether <see cref="Plain"/> are many, each of another target: then the order of what one of them is sent is kept also where some
    /// messages are delivered target by target, and not one by one.
    /// </summary>
    internal bool IsWide => Has(RouteTraits.Wide);

    /// <summary>Whether it leads to one queue group that does not grow, and to nobody else.</summary>
    internal bool IsGroup => Has(RouteTraits.Group);

    /// <summary>Whether messages by it that follow each other may be delivered together: it is wide, or leads to one subscription or group.</summary>
    internal bool MayRun => Has(RouteTraits.Runs);

    /// <summary>False once a subscription has come or gone that matches the subject: the router must be asked again.</summary>
    internal bool IsCurrent => _current;

    /// <summary>Whether it is the route of a subject, whose key is that: without a call where this is short.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsOf(ReadOnlySpan<byte> subject, ByteKey key)
        => subject.Length > ByteKey.Short
            ? subject.SequenceEqual(Bytes)
            : _subjectKey.Is(key) && _subjectLength == subject.Length && (subject.Length <= ByteKey.Size || BeginsWith(subject));

    // What the key does not have of a short subject.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool BeginsWith(ReadOnlySpan<byte> subject)
        => Vector128.LoadUnsafe(ref MemoryMarshal.GetReference(subject)) == Vector128.LoadUnsafe(ref MemoryMarshal.GetArrayDataReference(Bytes));

    internal void Expire() => _current = false;

    /// <summary>The hash of its subject by which it is kept; whose lock guards those guards this.</summary>
    internal uint Hash { get; set; }

    /// <summary>Whether somebody has found it since <see cref="TakeFound"/>, about.</summary>
    internal bool WasFound => _wasFound;

    internal void MarkFound()
    {
        if (!_wasFound)
        {
            _wasFound = true;
        }
    }

    /// <summary>Whether somebody has found it since this was asked last, about.</summary>
    internal bool TakeFound()
    {
        bool was = _wasFound;
        _wasFound = false;
        return was;
    }

    /// <summary>Lets a subscription in that matches the subject. False when the route must be built anew. Under the router's lock.</summary>
    internal bool TryAdd(Subscription subscription)
    {
        if (subscription is ShadowSubscription)
        {
            return false;
        }

        if (subscription.Access is not { LimitsReceiving: true } access || access.MayReceive(Subject, subscription.Queue))
        {
            Growth!.Add(subscription);
            _hasMore = true;
        }

        return true;
    }

    /// <summary>A subscription of it has gone. False when the route must be built anew. Under the router's lock.</summary>
    internal bool TryRemove(Subscription subscription)
        => subscription is not ShadowSubscription && Growth!.TryRemove();

    /// <summary>From now on it is a large one, that grows. Before anybody else knows it.</summary>
    internal void Grow(RouteGrowth growth) => _growthOrBehind = growth;

    /// <summary>The first of those who are sent every message that is as wanted.</summary>
    internal Subscription? FindPlain(Predicate<Subscription> wanted)
    {
        if (Array.Find(Plain, wanted) is { } found)
        {
            return found;
        }

        foreach (Subscription subscription in Growth is { } growth ? growth.Plain.Items : default)
        {
            if (wanted(subscription))
            {
                return subscription;
            }
        }

        return null;
    }

    internal static Route Refused(ReadOnlySpan<byte> subject) => new(subject.ToArray(), isRefused: true);

    /// <summary>A message's name in another account: those who get it so are not of this route.</summary>
    internal static Route Image(byte[] subject) => new(subject, isRefused: false);

    /// <summary>A route to one, for single messages, whose subjects it does not know: it never was current.</summary>
    internal static Route Once(Subscription only)
    {
        var route = new Route([], [only], [], [], 0);
        route.Expire();
        return route;
    }

    /// <summary>The route of all subjects to which nobody listens and that are not remembered. It never was current.</summary>
    internal static Route ToNobody()
    {
        var nobody = new Route([], isRefused: false);
        nobody.Expire();
        return nobody;
    }

    private static RouteTraits If(bool condition, RouteTraits traits) => condition ? traits : RouteTraits.None;

    private bool Has(RouteTraits trait) => (_traits & trait) != RouteTraits.None;
}
