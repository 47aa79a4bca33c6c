using System.Runtime.CompilerServices;
using Broker.Protocol;
using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// Publishes the messages of a client's PUB and HPUB. The fast path tests only one flag to see whether a publish needs
/// a check. Separate methods handle the other cases: verbose or pedantic clients, headers, an unusual form of the line,
/// and subjects without subscribers. Runs on the connection's loop.
/// </summary>
internal sealed class ClientPublishing
{
    // The work that is charged for a no-responders status, in visited router entries.
    private const int WorkOfNoResponders = 16;

    private readonly ClientChannel _channel;
    private readonly ClientIdentity _identity;
    private readonly ClientSubscriptions _subscriptions;
    private readonly DeferredOperation _deferred;
    private readonly RoutingPublisher _publisher;
    private readonly ConnectionTarget _target;
    private readonly LoopState _state;

    // True if each publish must be checked, for example because the client is verbose or pedantic.
    private bool _mustCheck = true;
    private bool _isPedantic = true;
    private bool _wantsNoResponders;

    internal ClientPublishing(
        ClientChannel channel, ClientIdentity identity, ClientSubscriptions subscriptions, DeferredOperation deferred)
    {
        _channel = channel;
        _identity = identity;
        _subscriptions = subscriptions;
        _deferred = deferred;
        _publisher = channel.Publisher;
        _target = channel.Target;
        _state = channel.Publisher.State;
    }

    /// <summary>Applies the options of an accepted CONNECT.</summary>
    internal void Configure(ConnectRequest request)
    {
        _isPedantic = request.Pedantic;
        _mustCheck = request.Verbose || request.Pedantic;
        _wantsNoResponders = request.NoResponders;
        _publisher.ExcludedTarget = request.Echo ? null : _target;
    }

    /// <summary>
    /// Returns the cached route of a publish. If the result is null, the caller must call
    /// <see cref="PublishUncached"/>.
    /// </summary>
    /// <param name="operation">The publish.</param>
    /// <param name="isSame">Whether the result is the route of the previous publish.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Route? FindRoute(scoped PublishOperation operation, out bool isSame)
    {
        Route? last = _publisher.Routes.Last;
        if (operation.RepeatsSubject)
        {
            isSame = true;
            return last is { IsCurrent: true } ? last : null;
        }

        Route? route = _publisher.Routes.Find(operation.Subject);
        isSame = route == last;
        return route;
    }

    /// <summary>
    /// Publishes to a subject without a current cached route. Returns false if the parser must not continue with the
    /// next operation in this iteration.
    /// </summary>
    // This is a separate method, so that the code for all other publishes can keep its values in registers.
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal bool PublishUncached(PublishOperation operation)
        => _publisher.Routes.Resolve(operation.Subject) is { } route
            ? Publish(operation, route, isSame: false) && !_publisher.IsOverBudget
            : _deferred.Defer(operation.Length);

    /// <summary>
    /// Publishes a message. Returns false if the parser must not continue with the next operation in this iteration.
    /// </summary>
    /// <param name="operation">The publish.</param>
    /// <param name="route">The current route of its subject.</param>
    /// <param name="isSame">Whether this is the route of the previous publish.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool Publish(PublishOperation operation, Route route, bool isSame)
    {
        _state.PayloadIn += operation.Payload.Length;
        if (++_state.MessagesIn >= _state.NextSample)
        {
            _state.Sample(_identity.Account.Name, route.Subject, operation.Payload.Length);
        }

        // No call below receives the operation by reference, because a variable whose address is taken is not kept in
        // registers.
        if ((_mustCheck || !operation.IsPlain) && NeedsCheck(operation))
        {
            return PublishChecked(operation, route);
        }

        if (!route.IsEmpty)
        {
            if (!route.CanBatch || !_publisher.TryDeliverInBatch(operation, route, isSame))
            {
                DeliverAlone(operation, route);
            }

            return !_publisher.IsOverBudget;
        }

        if (route.IsRefused || !operation.IsPlain)
        {
            PublishWithoutSubscribers(operation, route);
            return !_publisher.IsOverBudget;
        }

        // The route is cached and has no subscriber: there is no work to charge.
        return true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool PublishChecked(PublishOperation operation, Route route)
    {
        if (!CheckPublish(operation, route))
        {
            return _channel.MayContinue;
        }

        if (route.IsEmpty)
        {
            PublishWithoutSubscribers(operation, route);
        }
        else
        {
            DeliverAlone(operation, route);
        }

        return !_publisher.IsOverBudget;
    }

    // This is a separate method, so that the parts of the message need no space in the frame of the parser.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void DeliverAlone(PublishOperation operation, Route route) => Deliver(new RoutedMessage(operation), route);

    private void Deliver(in RoutedMessage message, Route route)
    {
        _publisher.EndBatch();
        if (_publisher.Deliver(in message, route) == 0 && !message.ReplyTo.IsEmpty)
        {
            ReplyNoResponders(message.ReplyTo);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool NeedsCheck(scoped PublishOperation operation)
        => _mustCheck || operation.HasHeaders || operation.Tail.IsEmpty
            || ReservedSubjects.MayContain(operation.ReplyTo);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void PublishWithoutSubscribers(PublishOperation operation, Route route)
    {
        if (route.IsRefused)
        {
            PublishRefused(new RoutedMessage(operation), route);
        }
        else if (!operation.ReplyTo.IsEmpty)
        {
            ReplyNoResponders(operation.ReplyTo);
        }
    }

    /// <summary>Checks a publish. Returns false if the message must not be delivered.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool CheckPublish(PublishOperation operation, Route route)
    {
        if (operation.HasHeaders && !_target.SupportsHeaders)
        {
            // nats-server closes the connection without an error message.
            _channel.FailProtocol("message headers not supported", "HPUB without headers in CONNECT");
            return false;
        }

        if (_isPedantic && !Subject.IsValidLiteral(operation.Subject))
        {
            // As in nats-server, the client receives an error and the message is delivered nevertheless.
            _channel.WriteError("Invalid Publish Subject");
        }

        if (route.IsRefused)
        {
            PublishRefused(new RoutedMessage(operation), route);
            return false;
        }

        if (ReservedSubjects.ContainsReply(operation.ReplyTo))
        {
            RefuseReply(operation.ReplyTo);
            return false;
        }

        _channel.Acknowledge();
        return true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void PublishRefused(in RoutedMessage message, Route route)
    {
        if (route.Mapping is not null)
        {
            PublishMapped(in message, route);
            return;
        }

        if (route.IsReserved || !_identity.TryUseGrant(message.Subject) || ReservedSubjects.Contains(message.Subject))
        {
            _identity.ReportViolation($"Publish to {QuotedText.Of(message.Subject)}");
            return;
        }

        if (ReservedSubjects.ContainsReply(message.ReplyTo))
        {
            RefuseReply(message.ReplyTo);
            return;
        }

        _channel.Acknowledge();
        if (route.ReplyRoute is not { IsCurrent: true })
        {
            route.ReplyRoute = _identity.Account.Router.Find(message.Subject);
        }

        Deliver(message, route.ReplyRoute);
    }

    // Publishes a message to its mapped subject. The permissions for the mapped subject apply.
    private void PublishMapped(in RoutedMessage message, Route route)
    {
        Route? found = _publisher.Routes.FindMapped(route, message.Subject, out ReadOnlySpan<byte> subject);
        if (found is { IsRefused: true })
        {
            PublishRefused(message.WithSubject(subject), found);
            return;
        }

        if (ReservedSubjects.ContainsReply(message.ReplyTo))
        {
            RefuseReply(message.ReplyTo);
            return;
        }

        _channel.Acknowledge();
        if (found is { IsEmpty: false })
        {
            Deliver(message.WithSubject(subject), found);
        }
        else if (!message.ReplyTo.IsEmpty)
        {
            ReplyNoResponders(message.ReplyTo);
        }
    }

    private void RefuseReply(ReadOnlySpan<byte> reply)
        => _identity.ReportViolation($"Publish with Reply of {QuotedText.Of(reply)}");

    /// <summary>
    /// Sends the status 503 to the client if its request has no responders. The client receives the status only if its
    /// CONNECT has <c>no_responders</c> and one of its own subscriptions matches the reply subject.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal void ReplyNoResponders(ReadOnlySpan<byte> reply)
    {
        if (!_wantsNoResponders || _subscriptions.Count == 0 || !Subject.HasNoEmptyToken(reply))
        {
            return;
        }

        _publisher.EndBatch();
        _publisher.ChargeWork(WorkOfNoResponders);
        if (_subscriptions.FindInbox(reply) is { } inbox)
        {
            // Reserve the whole length at once: a message must not cross two memory blocks.
            LoopWriteBuffer buffer = _channel.Connection.GetWriteBuffer(_channel.Loop);
            Span<byte> destination = buffer.GetSpan(reply.Length + inbox.Sid.Length + OperationWriter.LineOverhead);
            int at = Put(destination, 0, "HMSG "u8);
            at = Put(destination, at, reply);
            at = Put(destination, at, " "u8);
            at = Put(destination, at, inbox.Sid);
            buffer.Advance(Put(destination, at, " 16 16\r\nNATS/1.0 503\r\n\r\n\r\n"u8));
        }
    }

    private static int Put(Span<byte> destination, int at, ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(destination[at..]);
        return at + bytes.Length;
    }
}
