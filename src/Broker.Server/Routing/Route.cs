namespace Broker.Server.Routing;

/// <summary>Where messages of one subject go: what a walk of the trie found, kept until a subscription changes it.</summary>
/// <remarks>
/// Shared by all publishers of the subject. A publisher holds on to it and looks at <see cref="IsCurrent"/> only, so that a SUB or
/// UNSUB costs just those whose subject it concerns. What it leads to does not change but by <see cref="Growth"/>, which large ones have.
/// </remarks>
internal sealed class Route : TokenEntry
{
    // The object itself and its arrays' headers.
    private const int OwnCost = 256;

    private volatile bool _current = true;
    private volatile bool _hasMore;
    private readonly int _cost;

    // A refused route has only the one behind it, and does not grow; there are very many routes.
    private volatile object? _growthOrBehind;
    private byte[]? _headerMessageHead;

    internal Route(byte[] subject, Subscription[] plain, QueueGroup[] queues, RenamedDelivery[] renamed)
        : base(subject)
    {
        Plain = plain;
        Queues = queues;
        Renamed = renamed;
        _hasMore = queues.Length != 0 || renamed.Length != 0;
        IsEmpty = plain.Length == 0 && !HasMore;
        // Many subjects are published to and nobody listens; of the others few carry headers.
        MessageHead = IsEmpty ? [] : [.. "MSG "u8, .. subject, (byte)' '];
        _cost = (int)Math.Min(
            int.MaxValue,
            OwnCost + (3L * subject.Length) + (IntPtr.Size * (long)plain.Length)
                + queues.Sum(static q => q.Cost) + renamed.Sum(static r => r.Route.Cost));
    }

    // What a message is called in another account: those who get it so are not of this route.
    private Route(byte[] subject, byte[] messageHead)
        : base(subject)
    {
        IsEmpty = true;
        Plain = [];
        Queues = [];
        Renamed = [];
        MessageHead = messageHead;
        _cost = OwnCost + (3 * subject.Length);
    }

    // Refused: nobody is sent it, and so there is nothing to write heads for.
    private Route(byte[] subject)
        : base(subject)
    {
        Plain = [];
        Queues = [];
        Renamed = [];
        MessageHead = [];
        IsEmpty = IsRefused = true;
        _cost = OwnCost + subject.Length;
    }

    internal byte[] Subject => Bytes;

    /// <summary>Every one of these is sent the message.</summary>
    internal Subscription[] Plain { get; }

    /// <summary>One of each of these is.</summary>
    internal QueueGroup[] Queues { get; }

    /// <summary>Every one of these is, by another name.</summary>
    internal RenamedDelivery[] Renamed { get; }

    /// <summary>Whether somebody is sent it who is not in <see cref="Plain"/>: the one thing that a publish of a plain subject looks at.</summary>
    internal bool HasMore => _hasMore;

    /// <summary>What has come to it since it was built; null for nothing.</summary>
    internal RouteGrowth? Growth => _growthOrBehind as RouteGrowth;

    /// <summary>How many subscriptions it was built of.</summary>
    internal int Members => Plain.Length + Renamed.Length + Queues.Sum(static q => q.Members.Length + q.Renamed.Length);

    /// <summary><c>"MSG subject "</c>.</summary>
    internal byte[] MessageHead { get; }

    /// <summary><c>"HMSG subject "</c>.</summary>
    internal byte[] HeaderMessageHead => _headerMessageHead ??= [(byte)'H', .. MessageHead];

    /// <summary>About how many bytes it holds: those who keep routes keep them within a sum of these.</summary>
    internal long Cost => _cost;

    /// <summary>Whether its publisher may not publish to the subject. Such a route is of one publisher and expires with what it may do.</summary>
    internal bool IsRefused { get; }

    /// <summary>Where messages go that its publisher may send all the same, as answers; of a refused route only.</summary>
    internal Route? Behind
    {
        get => _growthOrBehind as Route;
        set => _growthOrBehind = value;
    }

    internal bool IsEmpty { get; }

    /// <summary>False once a subscription has come or gone that matches the subject: the router must be asked again.</summary>
    internal bool IsCurrent => _current;

    internal void Expire() => _current = false;

    /// <summary>Lets a subscription in that matches the subject. False when the route must be built anew. Under the router's lock.</summary>
    internal bool TryAdd(Subscription subscription, ulong seed)
    {
        if (subscription is ShadowSubscription)
        {
            return false;
        }

        if (subscription.Access is not { LimitsReceiving: true } access || access.MayReceive(Subject, subscription.Queue))
        {
            Grow(seed).Add(subscription);
            _hasMore = true;
        }

        return true;
    }

    /// <summary>A subscription of it has gone. False when the route must be built anew. Under the router's lock.</summary>
    internal bool TryRemove(Subscription subscription, ulong seed)
        => subscription is not ShadowSubscription && Grow(seed).TryRemove();

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

    private RouteGrowth Grow(ulong seed)
    {
        if (Growth is { } growth)
        {
            return growth;
        }

        growth = new RouteGrowth(this, seed);
        _growthOrBehind = growth;
        return growth;
    }

    internal static Route Refused(ReadOnlySpan<byte> subject) => new(subject.ToArray());

    internal static Route Image(byte[] subject) => new(subject, [.. "MSG "u8, .. subject, (byte)' ']);
}
