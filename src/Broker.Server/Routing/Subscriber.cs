using Broker.Server.Security;

namespace Broker.Server.Routing;

/// <summary>Whom subscriptions belong to, as far as it matters for who gets what.</summary>
internal abstract class Subscriber
{
    /// <summary>What it may receive, for the router on any loop; null for everything.</summary>
    internal AccessRules? Access { get; private protected set; }

    /// <summary>Whether it is a part of the server: its subscriptions are counted and listed nowhere.</summary>
    internal virtual bool IsInternal => false;
}
