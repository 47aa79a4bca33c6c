namespace Broker.Server;

/// <summary>The identity that a client has authenticated as.</summary>
/// <param name="Kind">The kind of authentication.</param>
/// <param name="Name">The name for logs and monitoring; null for a client without a name.</param>
/// <param name="Access">The client's permissions; null if everything is allowed.</param>
internal sealed record Principal(PrincipalKind Kind, string? Name, AccessRules? Access)
{
    /// <summary>The configured user; null if the client has not authenticated as a configured user.</summary>
    internal User? User { get; init; }

    /// <summary>The rights by the client's JWT; null if the client has not authenticated by a JWT.</summary>
    internal UserGrant? Grant { get; init; }

    /// <summary>The name of the client's account.</summary>
    internal string Account { get; init; } = AccountNames.Global;
}
