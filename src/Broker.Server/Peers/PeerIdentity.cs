namespace Broker.Server;

/// <summary>The user that a peer server has authenticated as.</summary>
public sealed class PeerIdentity
{
    internal PeerIdentity(Principal principal, SecurityRules rules) => (Principal, Rules) = (principal, rules);

    /// <summary>The name of the account in which the peer takes part.</summary>
    public string Account => Principal.Account;

    /// <summary>The name of the user; null if no user was needed.</summary>
    public string? UserName => Principal.Name;

    /// <summary>The subjects that the peer may publish and subscribe to; null for all.</summary>
    public Permissions? Permissions => Principal.Access?.Source;

    internal Principal Principal { get; }

    internal SecurityRules Rules { get; }
}
