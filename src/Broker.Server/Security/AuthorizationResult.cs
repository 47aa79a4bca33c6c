namespace Broker.Server.Security;

/// <summary>What an application decides of an <see cref="AuthorizationRequest"/>.</summary>
public sealed class AuthorizationResult
{
    private AuthorizationResult(bool isAllowed, string? userName, Permissions? permissions, string? reason)
    {
        IsAllowed = isAllowed;
        UserName = userName;
        Permissions = permissions;
        Reason = reason;
    }

    /// <summary>Whether the client may stay.</summary>
    public bool IsAllowed { get; }

    /// <summary>As whom it is shown in logs and monitoring; null for the name it gave.</summary>
    public string? UserName { get; }

    /// <summary>What it may do; null for <see cref="BrokerServerOptions.DefaultPermissions"/>.</summary>
    public Permissions? Permissions { get; }

    /// <summary>Why not, for the log; the client is told <c>Authorization Violation</c> only.</summary>
    public string? Reason { get; }

    /// <summary>Lets it in.</summary>
    public static AuthorizationResult Allow(Permissions? permissions = null, string? userName = null) => new(true, userName, permissions, null);

    /// <summary>Sends it away.</summary>
    public static AuthorizationResult Deny(string? reason = null) => new(false, null, null, reason);
}
