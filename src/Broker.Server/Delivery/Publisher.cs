using System.Runtime.CompilerServices;
using Broker.Protocol.Parsing;
using Broker.Server.Routing;
using Broker.Server.Security;
using Broker.Transport;

namespace Broker.Server.Delivery;

/// <summary>
/// Who publishes: a client, or the server itself, one for each loop. It knows the routes of the subjects that it publishes to, and
/// delivers. Used on its loop only.
/// </summary>
internal sealed class Publisher
{
    private const long MostStaged = 1024 * 1024;

    // Chains of imports are as long as the operator makes them; but one reply may lead to another, and these are clients'.
    private const int MostImports = 16;

    private RouteCache _routes;
    private Route? _last;
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
        Router = router;
        // These know what it might publish to until now.
        _routes = new RouteCache(router, access);
        _last = null;
    }

    /// <summary>A batch begins: what it stages is handed over at the end of the turn, or once it is worth a call.</summary>
    internal void Begin() => State.HandOverAt = State.BytesOut + MostStaged;

    /// <summary>The route of what it publishes, which is refused where it may not.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Route Find(scoped PublishOperation operation)
    {
        Route? route = _last;
        if (route is null || !route.IsCurrent
            || !(operation.RepeatsSubject || operation.Subject.SequenceEqual(route.Subject)))
        {
            _last = route = _routes.Find(operation.Subject);
        }

        return route;
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

        if (route.HasMore)
        {
            delivered += DeliverMore(in message, route);
        }

        State.PayloadOut += (long)delivered * message.Payload.Length;
        if (State.BytesOut >= State.HandOverAt)
        {
            HandOver();
        }

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
        int delivered = Deliver(in message, route);
        _imports--;
        return delivered;
    }

    /// <summary>Publishes as the server, in any account.</summary>
    internal void Publish(Router router, ReadOnlySpan<byte> subject, ReadOnlySpan<byte> payload)
    {
        Router = router;
        Import(new Message(subject, default, -1, payload), router.Find(subject));
    }

    // One read of small messages for a hundred subscribers makes many megabytes; so much at a time is enough for the calls to
    // be few.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void HandOver()
    {
        Begin();
        Loop.HandOverStages();
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryDeliver(Subscription subscription, Route route, in Message message)
    {
        Subscriber to = subscription.Subscriber;
        return to != NotTo
            && (to is ConnectionTarget connection
                ? connection.Deliver(subscription, route, in message, this)
                : DeliverElsewhere(subscription, route, in message));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool DeliverElsewhere(Subscription subscription, Route route, in Message message)
    {
        var target = (DeliveryTarget)subscription.Subscriber;
        if (!target.Deliver(subscription, route, in message, this))
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
            delivered += TryDeliver(renamed.Subscription, renamed.Route, in message) ? 1 : 0;
        }

        return delivered;
    }

    // From a random member on to the first that takes it: one that is closing or is our own echo is passed over.
    private bool DeliverToOne(QueueGroup group, Route route, in Message message)
    {
        Subscription[] members = group.Members;
        int count = group.Count;
        int at = count == 1 ? 0 : State.Next(count);
        for (int tried = 0; tried < count; tried++)
        {
            bool taken;
            if ((uint)at < (uint)members.Length)
            {
                taken = TryDeliver(members[at], route, in message);
            }
            else
            {
                RenamedDelivery renamed = group.Renamed[at - members.Length];
                taken = TryDeliver(renamed.Subscription, renamed.Route, in message);
            }

            if (taken)
            {
                return true;
            }

            at = at + 1 == count ? 0 : at + 1;
        }

        return false;
    }
}
