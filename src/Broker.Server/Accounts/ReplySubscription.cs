using System.Buffers;
using Broker.Server.Sessions;

namespace Broker.Server.Accounts;

/// <summary>Where answers leave the account that exports a service, for the one that asked.</summary>
internal sealed class ReplySubscription(Account requestor, Account exporter) : Crossing(requestor.Replies.Filter)
{
    internal override int Deliver(ClientSession publisher, in Message message)
    {
        bool isEmpty = message.Payload.IsEmpty;
        if (requestor.Replies.Take(message.Subject, exporter, isEmpty, publisher.Loop.LastTick, out int length) is not { } rented)
        {
            return 0;
        }

        int delivered = publisher.Answer(exporter, requestor, rented.AsSpan(0, length), in message);
        ArrayPool<byte>.Shared.Return(rented);
        return delivered;
    }
}
