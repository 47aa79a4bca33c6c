using System.Runtime.CompilerServices;
using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// Publishes messages of a client or of the server itself: finds the routes of the subjects and delivers the messages.
/// The server has one publisher of its own for each loop. A publisher is used on its loop only.
/// </summary>
internal sealed partial class RoutingPublisher
{
    // The configuration has no cycles of imports. But a reply may lead to another import, and clients choose reply
    // subjects, so nested imports need this limit.
    private const int MaxImports = 16;
    private const int StepsOfImport = 16;

    // The number of random members of a large group that are tried before all members are tried in order.
    private const int MaxPicks = 8;

    private PublishRoutes _routes;
    private SubjectBuffer? _mapped;
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

    /// <summary>The router of the account in which this publisher publishes.</summary>
    internal Router Router { get; private set; } = null!;

    /// <summary>
    /// The target that receives no messages of this publisher: a client that disabled echo. Null if every target
    /// receives them.
    /// </summary>
    internal DeliveryTarget? ExcludedTarget { get; set; }

    /// <summary>The client's last measured round-trip time; 0 if it is unknown.</summary>
    internal long RoundTripNanoseconds { get; set; }

    /// <summary>
    /// Whether the message has another subject than its route. Peer servers do not receive it: they would route it by
    /// its own subject.
    /// </summary>
    internal bool IsRenaming { get; private set; }

    /// <summary>The routes of the subjects that this publisher uses.</summary>
    internal ref PublishRoutes Routes => ref _routes;

    /// <summary>Whether the subject mappings of the account have changed since <see cref="MoveTo"/>.</summary>
    internal bool HasOldMappings => _routes.Mappings != Router.Mappings;

    /// <summary>Changes the account or the permissions for all later messages, and applies changed mappings.</summary>
    /// <param name="router">The router of the account.</param>
    /// <param name="access">The subjects to which this publisher may publish; null for all subjects.</param>
    internal void MoveTo(Router router, AccessRules? access)
    {
        _routes.Abandon();
        Router = router;
        // Stored routes contain the results of the earlier permission checks.
        _routes = new PublishRoutes(State, router, access, router.Mappings);
    }

    /// <summary>
    /// Whether the work budget is used up. The remaining operations must wait for the loop's next iteration.
    /// </summary>
    internal bool IsOverBudget
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            // Read the bytes before the budget, so that the JIT needs no null check for the reference to the budget.
            LoopState state = State;
            long written = state.BytesOut;
            return state.Budget.IsUsedUp(written);
        }
    }

    /// <summary>Begins the processing of received bytes: it sets a new work budget.</summary>
    internal void Begin()
    {
        // An exception may have interrupted the previous batch.
        EndBatch();
        State.Budget.Begin(State.BytesOut, Loop.IsBehind);
    }

    /// <summary>Charges work that writes no bytes. A step is a visited node or subscription.</summary>
    internal void ChargeWork(long steps) => State.Budget.Charge(steps);

    /// <summary>
    /// Delivers a message to all subscribers of its route. The delivery to very many subscribers may continue in later
    /// iterations of the loop (<see cref="HasPending"/>).
    /// </summary>
    /// <returns>The number of subscribers that received it; at least 1 if the delivery continues.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal int Deliver(in RoutedMessage message, Route route)
    {
        if (IsForMany(in message, route.PlainSubscriptions.Length))
        {
            return DeliverToMany(in message, route);
        }

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

        State.PayloadOut += (long)delivered * message.Payload.Length;
        return route.HasOtherSubscribers ? DeliverMore(in message, route, delivered) : delivered;
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

    /// <summary>Publishes a message of the server in any account. Subject mappings do not apply.</summary>
    internal void Publish(Router router, ReadOnlySpan<byte> subject, ReadOnlySpan<byte> payload)
    {
        EndBatch();
        Router = router;
        Import(new RoutedMessage(subject, default, -1, payload), router.Find(subject));
    }

    /// <summary>Publishes a message that no client has sent, without a batch.</summary>
    /// <returns>The number of subscribers that received the message.</returns>
    internal int PublishAlone(in RoutedMessage message)
    {
        EndBatch();
        return Router.Mappings is not null && Router.FindMapping(message.Subject) is { } mapping
            ? PublishMapped(in message, mapping)
            : Import(in message, Router.FindForNow(message.Subject));
    }

    /// <summary>Publishes a message to the subscribers of another subject than its own, without peer servers.</summary>
    internal int PublishAlone(in RoutedMessage message, ReadOnlySpan<byte> to)
    {
        EndBatch();
        IsRenaming = true;
        int delivered = Import(in message, Router.FindForNow(to));
        IsRenaming = false;
        return delivered;
    }

    /// <summary>Returns the buffer for a mapped subject, which is empty. There is one for each publisher.</summary>
    internal SubjectBuffer TakeMappedSubject()
    {
        _mapped ??= new SubjectBuffer();
        _mapped.Clear();
        return _mapped;
    }

    private int PublishMapped(in RoutedMessage message, SubjectMapping mapping)
    {
        SubjectBuffer mapped = TakeMappedSubject();
        return mapping.TryMap(message.Subject, mapped)
            ? Import(message.WithSubject(mapped.Written), Router.FindForNow(mapped.Written))
            : 0;
    }

    // A subscriber that does not receive the message costs time too.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void ChargeSkipped(long count) => State.Budget.ChargeSkipped(count);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryDeliver(Subscription subscription, Route route, in RoutedMessage message)
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
    private int DeliverMore(in RoutedMessage message, Route route, int deliveredPlain)
    {
        if (IsForMany(in message, route.OtherSubscribers))
        {
            return DeliverToMany(in message, route, route.PlainSubscriptions.Length, deliveredPlain);
        }

        int delivered = 0;
        foreach (QueueGroup group in route.QueueGroups)
        {
            delivered += DeliverToOne(group, route, in message) ? 1 : 0;
        }

        foreach (RenamedDelivery renamed in route.RenamedDeliveries)
        {
            delivered += TryDeliverRenamed(renamed.Subscription, renamed.Route, in message) ? 1 : 0;
        }

        if (route.LateSubscribers is { } growth)
        {
            delivered += DeliverToLateSubscribers(growth, route, in message);
        }

        State.PayloadOut += (long)delivered * message.Payload.Length;
        return deliveredPlain + delivered;
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

    // Tries a random member and then other members until one member accepts the message. Skips members that are
    // closing, and the publisher itself if it disabled echo.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool DeliverToOne(QueueGroup group, Route route, in RoutedMessage message)
    {
        int count = group.Count;
        int at = count == 1 ? 0 : State.Next(count);
        if (count != 1 && ReadsTooSlowly(group, at))
        {
            at = FindOther(group, at);
        }

        return TryDeliver(group, at, route, in message) || DeliverToNext(group, at, route, in message);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool ReadsTooSlowly(QueueGroup group, int at)
    {
        Subscription[] members = group.Members;
        return (uint)at < (uint)members.Length && members[at].Subscriber is ConnectionTarget target && target.Connection.IsAboveHighWater;
    }

    // Finds another member if the chosen member reads too slowly. Returns the chosen member if all tried members read
    // too slowly: the publisher is then slowed down.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private int FindOther(QueueGroup group, int chosen)
    {
        int count = group.Count;
        int tries = Math.Min(count, MaxPicks);
        for (int i = 1; i < tries; i++)
        {
            int at = count <= MaxPicks ? (chosen + i) % count : State.Next(count);
            if (!ReadsTooSlowly(group, at))
            {
                ChargeSkipped(i);
                return at;
            }
        }

        return chosen;
    }

    // Some members of a large group may have been removed. The member after a row of removed members would receive the
    // share of all of them, so other random members are tried first.
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
        return to == route ? TryDeliver(member, route, in message) : TryDeliverRenamed(member, to, in message);
    }

    // A message of a stream has the subject of the stream in each account.
    private bool TryDeliverRenamed(Subscription subscription, Route route, in RoutedMessage message)
        => TryDeliver(subscription, route, IsRenaming ? message : message.WithSubject(route.Subject));
}
