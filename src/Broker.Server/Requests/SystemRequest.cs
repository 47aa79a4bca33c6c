using System.Text;
using Broker.Protocol;

namespace Broker.Server;

/// <summary>A subscription of the server itself to system requests in one account.</summary>
/// <param name="requests">The object that answers the requests.</param>
/// <param name="account">The account.</param>
/// <param name="scope">What the requests are about.</param>
/// <param name="filter">The filter of the request subjects.</param>
internal sealed class SystemRequest(SystemRequests requests, Account account, RequestScope scope, string filter)
    : DeliveryTarget
{
    // Valid requests are short. Longer messages are ignored.
    private const int MaxBytes = 4096;

    private const int AccountToken = 3;

    internal override bool IsInternal => true;

    /// <summary>Creates the subscription for the account's router.</summary>
    internal Subscription Subscribe() => new(this, Encoding.UTF8.GetBytes(filter), null, "0"u8);

    internal override bool Deliver(Subscription subscription, Route route, in RoutedMessage message, RoutingPublisher publisher)
    {
        if (message.ReplyTo.IsEmpty || message.Payload.Length > MaxBytes)
        {
            return false;
        }

        if (scope == RequestScope.Streams && !requests.RefusesStreams(account, message.Subject))
        {
            return false;
        }

        string subject = Encoding.UTF8.GetString(message.Subject);
        string[] tokens = subject.Split((char)Subject.Separator);
        return requests.TryAnswer(new ReceivedRequest(
            scope,
            scope == RequestScope.Streams ? subject[SystemRequests.StreamsPrefix.Length..] : tokens[^1],
            scope switch
            {
                RequestScope.Account => tokens[AccountToken],
                RequestScope.OwnAccount => account.Name,
                _ => null,
            },
            account,
            message.ReplyTo.ToArray(),
            message.Payload[Math.Max(0, message.HeaderLength)..].ToArray(),
            publisher.Client?.Owner as ClientSession,
            publisher.Loop));
    }
}
