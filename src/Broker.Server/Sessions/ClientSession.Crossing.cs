using System.Buffers;
using System.Runtime.CompilerServices;
using Broker.Server.Accounts;
using Broker.Server.Routing;

namespace Broker.Server.Sessions;

// A publish that is more than plain: queue groups, and what leads into other accounts.
internal sealed partial class ClientSession
{
    // Chains of imports are as long as the operator makes them; but one reply may lead to another, and these are clients'.
    private const int MostCrossings = 16;

    private const long DefaultLifetime = 2 * 60 * 1000;

    private volatile Account _account;
    private bool _isCounted;
    private int _crossings;

    /// <summary>Where it is.</summary>
    internal Account Account => _account;

    /// <summary>Sends a request on into the account that exports the service. What answers it comes back to the message's reply.</summary>
    internal int Request(
        Account importer, Account exporter, byte[] subject, ServiceResponse response, long lifetime, in Message message)
    {
        Route route = exporter.Router.Find(subject);
        if (route.IsEmpty)
        {
            return 0;
        }

        Span<byte> reply = stackalloc byte[message.ReplyTo.IsEmpty ? 0 : PendingReplies.SubjectLength];
        if (!reply.IsEmpty)
        {
            importer.Replies.Add(exporter, message.ReplyTo, response, lifetime, _loop.LastTick, reply);
            importer.AwaitsReplies(importer);
        }

        byte[] rented = ArrayPool<byte>.Shared.Rent(RequestInfo.MostBytes(importer, this) + message.Payload.Length);
        int headers = RequestInfo.Write(rented, importer, this, in message, out int length);
        var request = new Message(subject, reply, headers, rented.AsSpan(0, length));
        int delivered = DeliverInto(in request, route);
        ArrayPool<byte>.Shared.Return(rented);
        if (delivered == 0 && !reply.IsEmpty)
        {
            importer.Replies.Remove(reply);
        }

        return delivered;
    }

    /// <summary>Sends an answer back into the account that asked. That may answer in turn if there is a reply.</summary>
    internal int Answer(Account exporter, Account requestor, ReadOnlySpan<byte> subject, in Message message)
    {
        Route route = requestor.Router.Find(subject);
        if (route.IsEmpty)
        {
            return 0;
        }

        if (message.ReplyTo.IsEmpty)
        {
            return DeliverInto(message.WithSubject(subject), route);
        }

        Span<byte> reply = stackalloc byte[PendingReplies.SubjectLength];
        exporter.AnswerFrom(requestor);
        exporter.Replies.Add(requestor, message.ReplyTo, ServiceResponse.Once, DefaultLifetime, _loop.LastTick, reply);
        exporter.AwaitsReplies(exporter);
        return DeliverInto(new Message(subject, reply, message.HeaderLength, message.Payload), route);
    }

    private int DeliverInto(in Message message, Route route)
    {
        if (_crossings == MostCrossings)
        {
            return 0;
        }

        _crossings++;
        int delivered = DeliverAll(in message, route);
        _crossings--;
        return delivered;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private int DeliverMore(in Message message, Route route)
    {
        int delivered = route.Queues.Length == 0 ? 0 : DeliverToQueues(in message, route);
        if (route.Beyond is not { } beyond)
        {
            return delivered;
        }

        foreach (Delivery one in beyond.Plain)
        {
            delivered += TryDeliver(one, in message) ? 1 : 0;
        }

        foreach (Delivery[] members in beyond.Queues)
        {
            int at = members.Length == 1 ? 0 : _state.Next(members.Length);
            for (int tried = 0; tried < members.Length; tried++)
            {
                if (TryDeliver(members[at], in message))
                {
                    delivered++;
                    break;
                }

                at = at + 1 == members.Length ? 0 : at + 1;
            }
        }

        foreach (Crossing crossing in beyond.Crossings)
        {
            if (crossing.Deliver(this, in message) != 0)
            {
                // Whoever was sent it there has been counted there.
                delivered++;
                _state.PayloadOut -= message.Payload.Length;
            }
        }

        return delivered;
    }

    private bool TryDeliver(Delivery one, in Message message)
        => !(_noEcho && one.Subscription.Session == this)
            && one.Subscription.Session.Take(one.Subscription, one.Route, in message, _loop, _state);

    // Moves it, with its count. What it has subscribed to must have ended before: who ends a subscription elsewhere goes by this.
    private void MoveTo(Account account)
    {
        if (_isCounted && _account == account)
        {
            return;
        }

        LeaveAccount();
        _isCounted = true;
        _account = account;
        account.Enter();
        _server.Events.ConnectionsChanged(_loop, account);
    }

    private void LeaveAccount()
    {
        if (_isCounted)
        {
            _isCounted = false;
            _account.Leave();
            _server.Events.ConnectionsChanged(_loop, _account);
        }
    }
}
