namespace Broker.Server.Security;

/// <summary>What an application decides of an <see cref="AuthorizationRequest"/>.</summary>
public sealed class AuthorizationResult
{
    private AuthorizationResult(bool isAllowed, string? userName, Permissions? permissions, string? account, string? reason)
    {
        Account = account;
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

    /// <summary>The account it is in; null for the one of those who are in no other.</summary>
    public string? Account { get; }

    /// <summary>Why not, for the log; the client is told <c>Authorization Violation</c> only.</summary>
    public string? Reason { get; }

    /// <summary>Lets it in.</summary>
    /// <param name="permissions">What it may do.</param>
    /// <param name="userName">As whom it is shown.</param>
    /// <param name="account">
    /// The account it is in, one of <see cref="BrokerServerOptions.Accounts"/>; a client of one that is not there is sent away.
    /// </param>
    public static AuthorizationResult Allow(Permissions? permissions = null, string? userName = null, string? account = null)
        => new(true, userName, permissions, account, null);

    /// <summary>Sends it away.</summary>
    public static AuthorizationResult Deny(string? reason = null) => new(false, null, null, null, reason);
}
