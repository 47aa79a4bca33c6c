using Broker.Server.Routing;
using Broker.Server.Sessions;

namespace Broker.Server.Accounts;

/// <summary>A subscription that no client of the router's account has made.</summary>
internal abstract class BeyondSubscription : Subscription
{
    private protected BeyondSubscription(ClientSession? session, byte[] filter, byte[]? queue)
        : base(session!, filter, queue, "0"u8)
    {
    }
}
