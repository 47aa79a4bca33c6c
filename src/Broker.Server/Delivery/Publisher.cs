using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Broker.Server.Collections;
using Broker.Server.Routing;
using Broker.Server.Security;
using Broker.Transport;

namespace Broker.Server.Delivery;

/// <summary>
/// Who publishes: a client, or the server itself, one for each loop. It knows the routes of the subjects that it publishes to, and
/// delivers. Used on its loop only.
/// </summary>
internal sealed partial class Publisher
{
    // What a batch may stage before others have their turn: so much at a time is enough for the calls that send it to be few. Other work
    // counts as the bytes that take as long.
    private const long MostStaged = 1024 * 1024;

    // The same where very many are sent messages and a turn sends to few: some 32 KB for each send.
    private const long MostStagedBehind = 256 * 1024;
    private const int BytesPerStep = 48;
    private const int BytesPerPassedOver = 8;

    // Chains of imports are as long as the operator makes them; but one reply may lead to another, and these are clients'.
    private const int MostImports = 16;
    private const int StepsOfImport = 16;

    // How much of a route to very many is built between two looks at what has been done.
    private const int StepsOfBuild = 1024;

    // Random members of a large group that are tried before it is gone through in order.
    private const int MostPicks = 8;

    private RouteCache _routes;
    private Route? _last;
    private RouteBuild? _build;
    private int _imports;

    internal Publisher(EventLoop loop, LoopState state, Router router, ConnectionTarget? client = null)
    {
        Client = client;
        Loop = loop;
        State = state;
        MoveTo(router, null);
    }

    internal EventLoop Loop { get; }

    internal LoopState State { get; }

    /// <summary>The client that it is; null for the server itself.</summary>
    internal ConnectionTarget? Client { get; }

    /// <summary>The router of the account that it publishes in.</summary>
    internal Router Router { get; private set; } = null!;

    /// <summary>Who is not sent what this one publishes: a client that wants no echo. Null for nobody.</summary>
    internal DeliveryTarget? NotTo { get; set; }

    /// <summary>How long a client's way is, there and back, as last measured; 0 when it is not known.</summary>
    internal long RoundTripNanoseconds { get; set; }

    /// <summary>Publishes in an account from now on, or goes by other rules there.</summary>
    /// <param name="router">The account's.</param>
    /// <param name="access">What it may publish to; null for everything.</param>
    internal void MoveTo(Router router, AccessRules? access)
    {
        Abandon();
        Router = router;
        // These know what it might publish to until now.
        _routes = new RouteCache(router, access);
        _last = null;
    }

    /// <summary>Whether the batch has done so much that the rest of it must wait for the loop's next turn.</summary>
    internal bool IsSpent
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => State.BytesOut >= State.YieldAt;
    }

    /// <summary>A batch begins.</summary>
    internal void Begin()
    {
        // Of a batch that an exception has ended.
        EndRun();
        State.YieldAt = State.BytesOut + (Loop.IsBehind ? MostStagedBehind : MostStaged);
    }

    /// <summary>Counts work that stages nothing, in places and subscriptions looked at.</summary>
    internal void Spend(long steps) => State.YieldAt -= steps * BytesPerStep;

    /// <summary>The route of the subject that it published to last; null for none. It may have expired.</summary>
    internal Route? Last => _last;

    /// <summary>
    /// The route of a subject, which is refused where it may not publish; null when it is not known, and <see cref="LookFurther"/> must be asked. It is
    /// the last one from now on. Without a call for most subjects, so that the next message's can begin while this one's waits for memory.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal Route? Look(ReadOnlySpan<byte> subject)
        => subject.Length > ByteKey.Short ? LookForLong(subject) : LookFor(subject);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private Route? LookForLong(ReadOnlySpan<byte> subject) => LookFor(subject);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Route? LookFor(ReadOnlySpan<byte> subject)
    {
        ByteKey key = ByteKey.Of(ref MemoryMarshal.GetReference(subject), subject.Length);
        Route? route = _last;
        if (route is { IsCurrent: true } && route.IsOf(subject, key))
        {
            return route;
        }

        return _build is null && _routes.FindKnown(subject, key) is { } known ? _last = known : null;
    }

    /// <summary>
    /// The route of a subject that is not known, which is the last one from now on; what the search costs is counted. Null when the batch is spent before
    /// the route, to very many, is built: the publish must come again in a later turn.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal Route? LookFurther(ReadOnlySpan<byte> subject)
    {
        if (_build is not null)
        {
            if (subject.SequenceEqual(_build.Subject))
            {
                return _last = Build(_build);
            }

            Abandon();
        }

        Route? route = _routes.FindOrBegin(subject, out _build);
        Spend(_routes.TakeWork());
        return _last = route ?? Build(_build!);
    }

    /// <summary>Whether a publish was put off, which comes again.</summary>
    internal bool HasPutOff => _build is not null;

    /// <summary>It will not publish what it has put off.</summary>
    internal void Abandon()
    {
        if (_build is not null)
        {
            Router.Abandon(_build);
            _build = null;
        }
    }

    /// <summary>Delivers a message to all that its route leads to.</summary>
    /// <returns>How many were sent it.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal int Deliver(in Message message, Route route)
    {
        int delivered = 0;
        foreach (Subscription subscription in route.Plain)
        {
            if (TryDeliver(subscription, route, in message))
            {
                delivered++;
            }
        }

        if (delivered != route.Plain.Length)
        {
            PassOver(route.Plain.Length - delivered);
        }

        if (route.HasMore)
        {
            delivered += DeliverMore(in message, route);
        }

        State.PayloadOut += (long)delivered * message.Payload.Length;
        return delivered;
    }

    /// <summary>Publishes on into another account: what <see cref="Deliver"/> does, as often as imports may follow each other.</summary>
    internal int Import(in Message message, Route route)
    {
        if (_imports == MostImports)
        {
            return 0;
        }

        _imports++;
        Spend(StepsOfImport);
        int delivered = Deliver(in message, route);
        _imports--;
        return delivered;
    }

    /// <summary>Publishes as the server, in any account.</summary>
    internal void Publish(Router router, ReadOnlySpan<byte> subject, ReadOnlySpan<byte> payload)
    {
        EndRun();
        Router = router;
        Import(new Message(subject, default, -1, payload), router.Find(subject));
    }

    private Route? Build(RouteBuild build)
    {
        do
        {
            Spend(build.Advance(StepsOfBuild));
        }
        while (!build.IsWhole && (!IsSpent || !build.IsTold));

        if (!build.IsWhole)
        {
            return null;
        }

        _build = null;
        Route route = Router.End(build);
        _routes.Keep(route);
        return route;
    }

    // Who is not sent a message costs a look all the same.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void PassOver(long count) => State.YieldAt -= count * BytesPerPassedOver;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryDeliver(Subscription subscription, Route route, in Message message)
    {
        Subscriber? to = subscription.Subscriber;
        return to != NotTo
            && (to is ConnectionTarget connection
                ? connection.Deliver(subscription, route, in message, this)
                : DeliverElsewhere(subscription, route, in message));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool DeliverElsewhere(Subscription subscription, Route route, in Message message)
    {
        // Null for one that has ended.
        if (subscription.Subscriber is not DeliveryTarget target || !target.Deliver(subscription, route, in message, this))
        {
            return false;
        }

        // Whoever was sent it by an import has been counted there.
        State.PayloadOut -= target.IsInternal ? message.Payload.Length : 0;
        return true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private int DeliverMore(in Message message, Route route)
    {
        int delivered = 0;
        foreach (QueueGroup group in route.Queues)
        {
            delivered += DeliverToOne(group, route, in message) ? 1 : 0;
        }

        foreach (RenamedDelivery renamed in route.Renamed)
        {
            delivered += TryDeliver(renamed.Subscription, renamed.Route, message.WithSubject(renamed.Route.Subject)) ? 1 : 0;
        }

        return route.Growth is { } growth ? delivered + DeliverToGrowth(growth, route, in message) : delivered;
    }

    private int DeliverToGrowth(RouteGrowth growth, Route route, in Message message)
    {
        int delivered = 0;
        foreach (Subscription subscription in growth.Plain.Items)
        {
            delivered += TryDeliver(subscription, route, in message) ? 1 : 0;
        }

        PassOver(growth.Plain.Count - delivered);
        foreach (QueueGroup group in growth.Queues.Items)
        {
            delivered += DeliverToOne(group, route, in message) ? 1 : 0;
        }

        return delivered;
    }

    // From a random member on to the first that takes it: one that is closing or is our own echo is passed over.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool DeliverToOne(QueueGroup group, Route route, in Message message)
    {
        int count = group.Count;
        int at = count == 1 ? 0 : State.Next(count);
        return TryDeliver(group, at, route, in message) || DeliverToNext(group, at, route, in message);
    }

    // Of a large group some may have gone: another random member then, or whoever stands behind them would get all that was theirs.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool DeliverToNext(QueueGroup group, int at, Route route, in Message message)
    {
        int count = group.Count;
        for (int tried = 1; tried < count + MostPicks; tried++)
        {
            at = tried <= MostPicks && count >= LargeRoutes.Least ? State.Next(count) : at + 1 >= count ? 0 : at + 1;
            if (TryDeliver(group, at, route, in message))
            {
                PassOver(tried);
                return true;
            }
        }

        PassOver(count);
        return false;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryDeliver(QueueGroup group, int at, Route route, in Message message)
    {
        Subscription[] members = group.Members;
        return (uint)at < (uint)members.Length ? TryDeliver(members[at], route, in message) : TryDeliverToOther(group, at, route, in message);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryDeliverToOther(QueueGroup group, int at, Route route, in Message message)
    {
        Route to = route;
        Subscription member = group.Other(at, ref to);
        return to == route ? TryDeliver(member, route, in message) : TryDeliver(member, to, message.WithSubject(to.Subject));
    }
}
