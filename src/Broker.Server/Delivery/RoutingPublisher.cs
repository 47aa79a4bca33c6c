using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// A client or the server itself as a publisher. The server has one publisher for each loop. A publisher finds the
/// routes of its subjects and delivers messages. It is used on its loop only.
/// </summary>
internal sealed partial class RoutingPublisher
{
    // The bytes that a publisher may write before it must yield to others. With so many bytes at a time, few send calls
    // are needed. Other work counts as the number of bytes that takes as long.
    private const long MaxWorkBytes = 1024 * 1024;

    // The same limit if very many clients receive messages and one iteration sends to few of them: about 32 KB for each
    // send.
    private const long MaxWorkBytesBehind = 256 * 1024;
    private const int BytesPerStep = 48;
    private const int BytesPerSkipped = 8;

    // The configuration bounds chains of imports. But a reply may lead to another import, and clients choose reply
    // subjects, so nested imports need this limit.
    private const int MaxImports = 16;
    private const int StepsOfImport = 16;

    // The steps of a route build between two checks of the work budget.
    private const int StepsOfBuild = 1024;

    // The number of random members of a large group that are tried before all members are tried in order.
    private const int MaxPicks = 8;

    private RouteCache _routes;
    private Route? _last;
    private RouteBuild? _build;
    private int _imports;

    internal RoutingPublisher(EventLoop loop, LoopState state, Router router, ConnectionTarget? client = null)
    {
        Client = client;
        Loop = loop;
        State = state;
        MoveTo(router, null);
    }

    internal EventLoop Loop { get; }

    internal LoopState State { get; }

    /// <summary>The client that publishes; null for the server itself.</summary>
    internal ConnectionTarget? Client { get; }

    /// <summary>The router of the account in which it publishes.</summary>
    internal Router Router { get; private set; } = null!;

    /// <summary>
    /// The target that does not receive what this publisher sends: a client that disabled echo. Null if there is none.
    /// </summary>
    internal DeliveryTarget? ExcludedTarget { get; set; }

    /// <summary>The client's last measured round-trip time; 0 if it is unknown.</summary>
    internal long RoundTripNanoseconds { get; set; }

    /// <summary>Changes the account or the permissions for all later messages.</summary>
    /// <param name="router">The router of the account.</param>
    /// <param name="access">The subjects to which it may publish; null for all subjects.</param>
    internal void MoveTo(Router router, AccessRules? access)
    {
        Abandon();
        Router = router;
        // Stored routes contain the results of the earlier permission checks.
        _routes = new RouteCache(router, access);
        _last = null;
    }

    /// <summary>
    /// Whether the work budget is used up. The remaining operations must wait for the loop's next iteration.
    /// </summary>
    internal bool IsOverBudget
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => State.BytesOut >= State.YieldAt;
    }

    /// <summary>Begins the processing of received bytes: it sets a new work budget.</summary>
    internal void Begin()
    {
        // An exception may have interrupted the previous batch.
        EndBatch();
        State.YieldAt = State.BytesOut + (Loop.IsBehind ? MaxWorkBytesBehind : MaxWorkBytes);
    }

    /// <summary>Charges work that writes no bytes, in visited nodes and subscriptions.</summary>
    internal void ChargeWork(long steps) => State.YieldAt -= steps * BytesPerStep;

    /// <summary>The route of the last subject; null if there is none. It may have expired.</summary>
    internal Route? Last => _last;

    /// <summary>
    /// Returns the route of a subject, or null if it is not stored: then the caller must call
    /// <see cref="ResolveRoute"/>. The route is refused if the publisher has no permission for the subject. It becomes
    /// <see cref="Last"/>. For most subjects this method makes no call, so that the CPU can begin the next message
    /// while this one waits for memory.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal Route? FindRoute(ReadOnlySpan<byte> subject)
        => subject.Length > ByteKey.Short ? FindRouteOfLongSubject(subject) : FindRouteInline(subject);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private Route? FindRouteOfLongSubject(ReadOnlySpan<byte> subject) => FindRouteInline(subject);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Route? FindRouteInline(ReadOnlySpan<byte> subject)
    {
        ByteKey key = ByteKey.Of(ref MemoryMarshal.GetReference(subject), subject.Length);
        Route? route = _last;
        if (route is { IsCurrent: true } && route.IsOf(subject, key))
        {
            return route;
        }

        return _build is null && _routes.FindStored(subject, key) is { } known ? _last = known : null;
    }

    /// <summary>
    /// Searches or builds the route of a subject that is not stored, and charges the work. The route becomes
    /// <see cref="Last"/>. Returns null if the work budget is used up before a large route is built: the caller must
    /// then repeat the publish in a later iteration.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal Route? ResolveRoute(ReadOnlySpan<byte> subject)
    {
        if (_build is not null)
        {
            if (subject.SequenceEqual(_build.Subject))
            {
                return _last = Build(_build);
            }

            Abandon();
        }

        Route? route = _routes.FindOrBeginBuild(subject, out _build);
        ChargeWork(_routes.ExchangeWork());
        return _last = route ?? Build(_build!);
    }

    /// <summary>Whether a publish was deferred and will be repeated.</summary>
    internal bool HasDeferred => _build is not null;

    /// <summary>Cancels the build for a deferred publish.</summary>
    internal void Abandon()
    {
        if (_build is not null)
        {
            Router.AbandonBuild(_build);
            _build = null;
        }
    }

    /// <summary>Delivers a message to all subscribers of its route.</summary>
    /// <returns>The number of subscribers that received it.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal int Deliver(in RoutedMessage message, Route route)
    {
        int delivered = 0;
        foreach (Subscription subscription in route.PlainSubscriptions)
        {
            if (TryDeliver(subscription, route, in message))
            {
                delivered++;
            }
        }

        if (delivered != route.PlainSubscriptions.Length)
        {
            ChargeSkipped(route.PlainSubscriptions.Length - delivered);
        }

        if (route.HasOtherSubscribers)
        {
            delivered += DeliverMore(in message, route);
        }

        State.PayloadOut += (long)delivered * message.Payload.Length;
        return delivered;
    }

    /// <summary>
    /// Publishes a message into another account, like <see cref="Deliver"/>. The number of nested imports is limited.
    /// </summary>
    internal int Import(in RoutedMessage message, Route route)
    {
        if (_imports == MaxImports)
        {
            return 0;
        }

        _imports++;
        ChargeWork(StepsOfImport);
        int delivered = Deliver(in message, route);
        _imports--;
        return delivered;
    }

    /// <summary>Publishes a message of the server in any account.</summary>
    internal void Publish(Router router, ReadOnlySpan<byte> subject, ReadOnlySpan<byte> payload)
    {
        EndBatch();
        Router = router;
        Import(new RoutedMessage(subject, default, -1, payload), router.Find(subject));
    }

    /// <summary>Publishes a message that was not received from a client, without a batch.</summary>
    /// <returns>The number of subscribers that received it.</returns>
    internal int PublishAlone(in RoutedMessage message)
    {
        EndBatch();
        return Import(in message, Router.Find(message.Subject));
    }

    private Route? Build(RouteBuild build)
    {
        do
        {
            ChargeWork(build.Advance(StepsOfBuild));
        }
        while (!build.IsComplete && (!IsOverBudget || !build.IsRegistered));

        if (!build.IsComplete)
        {
            return null;
        }

        _build = null;
        Route route = Router.EndBuild(build);
        _routes.Store(route);
        return route;
    }

    // A subscriber that does not receive the message costs time too.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void ChargeSkipped(long count) => State.YieldAt -= count * BytesPerSkipped;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryDeliver(Subscription subscription, Route route, in RoutedMessage message)
    {
        SubscriptionOwner? to = subscription.Subscriber;
        return to != ExcludedTarget
            && (to is ConnectionTarget connection
                ? connection.Deliver(subscription, route, in message, this)
                : DeliverToOtherTarget(subscription, route, in message));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool DeliverToOtherTarget(Subscription subscription, Route route, in RoutedMessage message)
    {
        // The subscriber of a closed subscription is null.
        if (subscription.Subscriber is not DeliveryTarget target || !target.Deliver(subscription, route, in message, this))
        {
            return false;
        }

        // Deliveries by an import were already counted by the nested call.
        State.PayloadOut -= target.IsInternal ? message.Payload.Length : 0;
        return true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private int DeliverMore(in RoutedMessage message, Route route)
    {
        int delivered = 0;
        foreach (QueueGroup group in route.QueueGroups)
        {
            delivered += DeliverToOne(group, route, in message) ? 1 : 0;
        }

        foreach (RenamedDelivery renamed in route.RenamedDeliveries)
        {
            delivered += TryDeliver(renamed.Subscription, renamed.Route, message.WithSubject(renamed.Route.Subject)) ? 1 : 0;
        }

        return route.LateSubscribers is { } growth ? delivered + DeliverToLateSubscribers(growth, route, in message) : delivered;
    }

    private int DeliverToLateSubscribers(LateSubscribers growth, Route route, in RoutedMessage message)
    {
        int delivered = 0;
        foreach (Subscription subscription in growth.PlainSubscriptions.Items)
        {
            delivered += TryDeliver(subscription, route, in message) ? 1 : 0;
        }

        ChargeSkipped(growth.PlainSubscriptions.Count - delivered);
        foreach (QueueGroup group in growth.QueueGroups.Items)
        {
            delivered += DeliverToOne(group, route, in message) ? 1 : 0;
        }

        return delivered;
    }

    // Tries a random member and then the others until one accepts the message. It skips members that are closing and
    // the publisher's own echo.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool DeliverToOne(QueueGroup group, Route route, in RoutedMessage message)
    {
        int count = group.Count;
        int at = count == 1 ? 0 : State.Next(count);
        return TryDeliver(group, at, route, in message) || DeliverToNext(group, at, route, in message);
    }

    // Some members of a large group may have been removed. Trying the next one would give it the share of all removed
    // members before it, so other random members are tried first.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool DeliverToNext(QueueGroup group, int at, Route route, in RoutedMessage message)
    {
        int count = group.Count;
        for (int tried = 1; tried < count + MaxPicks; tried++)
        {
            at = tried <= MaxPicks && count >= LargeRoutes.MinSubscriptions ? State.Next(count) : at + 1 >= count ? 0 : at + 1;
            if (TryDeliver(group, at, route, in message))
            {
                ChargeSkipped(tried);
                return true;
            }
        }

        ChargeSkipped(count);
        return false;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryDeliver(QueueGroup group, int at, Route route, in RoutedMessage message)
    {
        Subscription[] members = group.Members;
        return (uint)at < (uint)members.Length ? TryDeliver(members[at], route, in message) : TryDeliverToOther(group, at, route, in message);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryDeliverToOther(QueueGroup group, int at, Route route, in RoutedMessage message)
    {
        Route to = route;
        Subscription member = group.GetOther(at, ref to);
        return to == route ? TryDeliver(member, route, in message) : TryDeliver(member, to, message.WithSubject(to.Subject));
    }
}
