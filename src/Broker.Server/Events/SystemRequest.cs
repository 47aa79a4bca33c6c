using System.Text;
using Broker.Protocol;

namespace Broker.Server;

/// <summary>A subscription of the server itself to requests in the system account.</summary>
/// <param name="events">The object that answers the requests.</param>
/// <param name="filter">The filter of the request subjects.</param>
/// <param name="account">Whether the fourth token of the subject is the name of an account.</param>
internal sealed class SystemRequest(SystemEvents events, string filter, bool account) : DeliveryTarget
{
    // Valid requests are short, so longer messages are ignored.
    private const int MaxBytes = 4096;

    private const int AccountToken = 3;

    internal override bool IsInternal => true;

    /// <summary>Creates the subscription for the system account's router.</summary>
    internal Subscription Subscribe() => new(this, Encoding.UTF8.GetBytes(filter), null, "0"u8);

    internal override bool Deliver(Subscription subscription, Route route, in RoutedMessage message, RoutingPublisher publisher)
    {
        if (message.ReplyTo.IsEmpty || message.Payload.Length > MaxBytes)
        {
            return false;
        }

        string[] tokens = Encoding.UTF8.GetString(message.Subject).Split((char)Subject.Separator);
        ReadOnlySpan<byte> body = message.Payload[Math.Max(0, message.HeaderLength)..];
        return events.TryReply(
            publisher.Loop,
            tokens[^1],
            account ? tokens[AccountToken] : null,
            message.ReplyTo.ToArray(),
            body.ToArray());
    }
}
