using Broker.Server.Sessions;

namespace Broker.Server.Accounts;

/// <summary>A subscription of the server's own: what it is sent goes on elsewhere.</summary>
internal abstract class Crossing(byte[] filter) : BeyondSubscription(null, filter, null)
{
    /// <summary>Takes a message, on the loop of whoever published it.</summary>
    /// <returns>How many have been sent it; 0 when nobody can answer.</returns>
    internal abstract int Deliver(ClientSession publisher, in Message message);
}
