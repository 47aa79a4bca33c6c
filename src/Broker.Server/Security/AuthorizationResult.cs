namespace Broker.Server;

/// <summary>The decision of an application about an <see cref="AuthorizationRequest"/>.</summary>
public sealed class AuthorizationResult
{
    private AuthorizationResult(
        bool isAllowed, string? userName, Permissions? permissions, string? account, string? reason)
    {
        Account = account;
        IsAllowed = isAllowed;
        UserName = userName;
        Permissions = permissions;
        Reason = reason;
    }

    /// <summary>Whether the client may connect.</summary>
    public bool IsAllowed { get; }

    /// <summary>The user name in logs and monitoring; null for the name in the CONNECT.</summary>
    public string? UserName { get; }

    /// <summary>
    /// The client's permissions; null for <see cref="BrokerServerOptions.DefaultPermissions"/>.
    /// </summary>
    public Permissions? Permissions { get; }

    /// <summary>The name of the client's account; null for the global account.</summary>
    public string? Account { get; }

    /// <summary>
    /// The reason of a refusal, for the log. The client only receives <c>Authorization Violation</c>.
    /// </summary>
    public string? Reason { get; }

    /// <summary>Accepts the client.</summary>
    /// <param name="permissions">
    /// The client's permissions; null for <see cref="BrokerServerOptions.DefaultPermissions"/>.
    /// </param>
    /// <param name="userName">The user name in logs and monitoring; null for the name in the CONNECT.</param>
    /// <param name="account">
    /// The name of an account in <see cref="BrokerServerOptions.Accounts"/>; null for the global account. If the
    /// account does not exist, the client is refused.
    /// </param>
    public static AuthorizationResult Allow(
        Permissions? permissions = null, string? userName = null, string? account = null)
        => new(true, userName, permissions, account, null);

    /// <summary>Refuses the client. The reason is for the log only.</summary>
    public static AuthorizationResult Deny(string? reason = null) => new(false, null, null, null, reason);
}
