
namespace Broker.Server.Security;

/// <summary>As whom a client was let in.</summary>
/// <param name="Kind">By what.</param>
/// <param name="Name">The name to show; null for a client without one.</param>
/// <param name="Access">What it may do; null for everything.</param>
internal sealed record Principal(PrincipalKind Kind, string? Name, AccessRules? Access)
{
    /// <summary>The user it is; null unless it is one of those that the server was given.</summary>
    internal User? User { get; init; }

    /// <summary>The name of the account it is in.</summary>
    internal string Account { get; init; } = AccountNames.Global;
}
