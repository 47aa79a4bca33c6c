namespace Broker.Server;

// Options of authentication and permissions. By default every client may connect and do everything.
public sealed partial class BrokerServerOptions : ISecurityOptions
{
    private static readonly TimeSpan DefaultAuthTimeout = TimeSpan.FromSeconds(2);

    private TimeSpan? _authTimeout;

    /// <summary>
    /// The users that may connect. Empty, the default: every client may connect, unless a token, a callback or an
    /// account with users is set.
    /// </summary>
    public IReadOnlyList<User> Users { get; set; } = [];

    /// <summary>
    /// The accounts. Each account has its own subjects and its own users. Empty, the default: all clients are in one
    /// account. If an account has users, clients must authenticate.
    /// </summary>
    public IReadOnlyList<AccountOptions> Accounts { get; set; } = [];

    /// <summary>
    /// The subject mappings for clients that are in no configured account. No two mappings may have the same source.
    /// For the clients of an account, see <see cref="AccountOptions.Mappings"/>. Default: none.
    /// </summary>
    public IReadOnlyList<SubjectMapping> Mappings { get; set; } = [];

    /// <summary>
    /// The name of the account in which the server publishes its own events. Null, the default: <c>$SYS</c>.
    /// </summary>
    public string? SystemAccount { get; set; }

    /// <summary>
    /// The operators whose JWTs identify accounts and users, in place of <see cref="Users"/> and
    /// <see cref="Accounts"/>. <see cref="SystemAccount"/> is the public key of an account then; null for the one in
    /// the JWT of the operator. Null, the default: no JWTs.
    /// </summary>
    public OperatorOptions? Operator { get; set; }

    /// <summary>
    /// The token that clients may authenticate by, in plain text or as a bcrypt hash. Null: no token.
    /// </summary>
    public string? Token { get; set; }

    /// <summary>
    /// The name of a user in <see cref="Users"/> or in an account. Clients that send no credentials or no CONNECT are
    /// this user. Null, the default: clients must send credentials.
    /// </summary>
    public string? NoAuthUser { get; set; }

    /// <summary>
    /// The maximum time from the connection, or from the end of the TLS handshake, to an accepted CONNECT. Default 2 s;
    /// with TLS, the timeout of the TLS handshake plus one second.
    /// </summary>
    public TimeSpan AuthTimeout
    {
        get => _authTimeout ?? (Tls is null ? DefaultAuthTimeout : Tls.Timeout + TimeSpan.FromSeconds(1));
        set => _authTimeout = value;
    }

    /// <summary>
    /// The permissions of clients whose user and account have no permissions of their own. Null, the default:
    /// everything is allowed.
    /// </summary>
    public Permissions? DefaultPermissions { get; set; }

    /// <summary>
    /// A callback that decides whether a client may connect, in place of <see cref="Users"/> and <see cref="Token"/>.
    /// The server calls it on an event loop, so it must not block. If it throws, the server logs the exception and
    /// refuses the client.
    /// </summary>
    public Func<AuthorizationRequest, AuthorizationResult>? Authorize { get; set; }

    /// <summary>
    /// An asynchronous form of <see cref="Authorize"/>. The server calls it on an event loop and serves other clients
    /// until the task completes. It does not read from the client meanwhile, and <see cref="AuthTimeout"/> continues to
    /// run.
    /// </summary>
    public Func<AuthorizationRequest, ValueTask<AuthorizationResult>>? AuthorizeAsync { get; set; }

    /// <summary>
    /// The verifier for bcrypt hashes; required if a password of a user or the token is a bcrypt hash.
    /// </summary>
    public IPasswordVerifier? PasswordVerifier { get; set; }

    /// <summary>The verifier for the signatures of users with keys; required if a user has a key.</summary>
    public ISignatureVerifier? SignatureVerifier { get; set; }

    /// <summary>
    /// The service that decides about all clients but the configured users. Null, the default: no such service.
    /// </summary>
    public AuthCalloutOptions? AuthCallout { get; set; }

    /// <summary>
    /// Creates the key pairs with which the server signs and encrypts requests; required for
    /// <see cref="AuthCallout"/>. The package Broker.Cryptography sets it.
    /// </summary>
    public Func<IServerKeys>? CreateServerKeys { get; set; }

    IEnumerable<UserGroup> ISecurityOptions.UserGroups => Accounts
        .Select(static a => new UserGroup(a.Name, a.Users, a.DefaultPermissions))
        .Prepend(new UserGroup(AccountNames.Global, Users, null));

    /// <summary>Whether other options have the same authentication and the same permissions.</summary>
    internal bool HasSameSecurityAs(BrokerServerOptions other)
        => Users.SequenceEqual(other.Users) && Accounts.SequenceEqual(other.Accounts)
            && Mappings.SequenceEqual(other.Mappings)
            && HasSameOperatorAs(other)
            && string.Equals(SystemAccount, other.SystemAccount, StringComparison.Ordinal)
            && string.Equals(Token, other.Token, StringComparison.Ordinal)
            && string.Equals(NoAuthUser, other.NoAuthUser, StringComparison.Ordinal)
            && AuthTimeout == other.AuthTimeout && DefaultPermissions == other.DefaultPermissions
            && Authorize == other.Authorize && AuthorizeAsync == other.AuthorizeAsync
            && HasSameCalloutAs(other)
            && PasswordVerifier == other.PasswordVerifier && SignatureVerifier == other.SignatureVerifier;

    /// <summary>Whether other options have the same auth callout.</summary>
    internal bool HasSameCalloutAs(BrokerServerOptions other)
        => AuthCallout is null ? other.AuthCallout is null : AuthCallout.IsSameAs(other.AuthCallout);

    /// <summary>Whether other options have the same operators and accounts as JWTs.</summary>
    internal bool HasSameOperatorAs(BrokerServerOptions other)
        => Operator is null ? other.Operator is null : Operator.IsSameAs(other.Operator);

    /// <summary>Creates the check of JWTs; null without <see cref="Operator"/>.</summary>
    /// <param name="time">The clock.</param>
    /// <exception cref="ArgumentException">
    /// A JWT is refused, or another option conflicts with the operators.
    /// </exception>
    internal OperatorMode? CreateOperatorMode(TimeProvider time)
    {
        if (Operator is null)
        {
            return null;
        }

        string? other = Accounts.Count > 0 ? nameof(Accounts)
            : Users.Count > 0 ? nameof(Users)
            : Token is not null ? nameof(Token)
            : NoAuthUser is not null ? nameof(NoAuthUser)
            : DefaultPermissions is not null ? nameof(DefaultPermissions)
            : Authorize is not null ? nameof(Authorize)
            : AuthorizeAsync is not null ? nameof(AuthorizeAsync)
            : AuthCallout is not null ? nameof(AuthCallout)
            : null;
        return other is null ? new OperatorMode(Operator, SystemAccount, SignatureVerifier, time)
            : throw new ArgumentException($"{nameof(Operator)} and {other} cannot be combined: JWTs identify all accounts and users.");
    }

    /// <summary>Creates the checked configuration of the accounts.</summary>
    /// <param name="tokens">The check of JWTs, which has the accounts; null for <see cref="Accounts"/>.</param>
    /// <exception cref="ArgumentException">The accounts do not fit together.</exception>
    internal AccountPlan CreatePlan(OperatorMode? tokens)
    {
        if (tokens is null)
        {
            return new AccountPlan(Accounts, SystemAccount, Mappings);
        }

        IReadOnlyCollection<LinkedAccount> all = tokens.Graph.All;
        return tokens.SystemAccount is { } system && Operator?.Resolver is null && !tokens.Graph.TryFind(system, out _)
            ? throw new ArgumentException($"The system account is to be '{system}', but there is no such account.")
            : new AccountPlan(all.Select(static a => a.Options), [.. all.SelectMany(static a => a.Effective)], tokens.SystemAccount, Mappings);
    }

    /// <exception cref="ArgumentException">The auth callout is not valid, or another option conflicts with
    /// it.</exception>
    private void CheckCallout()
    {
        if (AuthCallout is null)
        {
            return;
        }

        string? other = Token is not null ? nameof(Token)
            : Authorize is not null ? nameof(Authorize)
            : AuthorizeAsync is not null ? nameof(AuthorizeAsync)
            : null;
        if (other is not null)
        {
            throw new ArgumentException($"{nameof(AuthCallout)} and {other} cannot be combined: the service decides about all clients that are no configured users.");
        }

        if (CreateServerKeys is null || SignatureVerifier is null)
        {
            throw new ArgumentException(
                $"{nameof(AuthCallout)} needs {nameof(CreateServerKeys)} and {nameof(SignatureVerifier)}, for example of the package Broker.Cryptography.");
        }

        AuthCallout.Validate(((ISecurityOptions)this).UserGroups);
    }

    // An empty value probably comes from a missing setting. It must not open the server to everybody.
    private void CheckForEmptyCredentials()
    {
        Require(Token is not { Length: 0 }, $"{nameof(Token)} is empty: set it to null for no token.");
        Require(NoAuthUser is not { Length: 0 }, $"{nameof(NoAuthUser)} is empty: set it to null for no such user.");
        Require(
            SystemAccount is not { Length: 0 },
            $"{nameof(SystemAccount)} is empty: set it to null for the default account.");
        foreach (User user in Users.Concat(Accounts.SelectMany(a => a.Users)))
        {
            Require(
                !user.IsPasswordMissing,
                $"User '{user}' has an empty password: create a user without a password by "
                + $"{nameof(User)}.{nameof(User.WithoutPassword)}.");
        }

        static void Require(bool holds, string otherwise)
        {
            if (!holds)
            {
                throw new ArgumentException(otherwise);
            }
        }
    }
}
