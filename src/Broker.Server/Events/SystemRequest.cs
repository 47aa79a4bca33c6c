using System.Text;
using Broker.Protocol.Subjects;
using Broker.Server.Delivery;
using Broker.Server.Routing;

namespace Broker.Server.Events;

/// <summary>Subjects of the system account that the server answers itself.</summary>
/// <param name="events">Who answers.</param>
/// <param name="filter">The subjects.</param>
/// <param name="account">Whether they are about one account, by their fourth token.</param>
internal sealed class SystemRequest(SystemEvents events, string filter, bool account) : DeliveryTarget
{
    // What is asked for is short, or it is not for us.
    private const int MostBytes = 4096;

    private const int AccountToken = 3;

    internal override bool IsInternal => true;

    /// <summary>What stands in the system account's router.</summary>
    internal Subscription Subscribe() => new(this, Encoding.UTF8.GetBytes(filter), null, "0"u8);

    internal override bool Deliver(Subscription subscription, Route route, in Message message, Publisher publisher)
    {
        if (message.ReplyTo.IsEmpty || message.Payload.Length > MostBytes)
        {
            return false;
        }

        string[] tokens = Encoding.UTF8.GetString(message.Subject).Split((char)Subject.Separator);
        ReadOnlySpan<byte> body = message.Payload[Math.Max(0, message.HeaderLength)..];
        return events.TryAnswer(publisher.Loop, tokens[^1], account ? tokens[AccountToken] : null, message.ReplyTo.ToArray(), body.ToArray());
    }
}
