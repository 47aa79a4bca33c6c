namespace Broker.Server;

/// <summary>The options of authentication for peer servers that have users of their own.</summary>
/// <param name="users">The users.</param>
/// <param name="server">The options of the server, which has the verifiers.</param>
internal sealed class PeerSecurityOptions(IReadOnlyList<PeerUser> users, BrokerServerOptions server) : ISecurityOptions
{
    public IEnumerable<UserGroup> UserGroups => users
        .GroupBy(static u => u.Account ?? AccountNames.Global, StringComparer.Ordinal)
        .Select(static group => new UserGroup(group.Key, [.. group.Select(static u => u.User)], null));

    public string? Token => null;

    public string? NoAuthUser => null;

    public TimeSpan AuthTimeout => server.AuthTimeout;

    public Permissions? DefaultPermissions => null;

    public Func<AuthorizationRequest, AuthorizationResult>? Authorize => null;

    public Func<AuthorizationRequest, ValueTask<AuthorizationResult>>? AuthorizeAsync => null;

    public IPasswordVerifier? PasswordVerifier => server.PasswordVerifier;

    public ISignatureVerifier? SignatureVerifier => server.SignatureVerifier;
}
