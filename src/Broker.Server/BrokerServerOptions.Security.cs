using Broker.Server.Accounts;
using Broker.Server.Security;

namespace Broker.Server;

// Who may come in and what they may do. Nothing set: everybody, and everything.
public sealed partial class BrokerServerOptions
{
    private static readonly TimeSpan DefaultAuthTimeout = TimeSpan.FromSeconds(2);

    private TimeSpan? _authTimeout;

    /// <summary>Who may connect. Empty, the default, with no token and no callback: everybody.</summary>
    public IReadOnlyList<User> Users { get; set; } = [];

    /// <summary>
    /// Accounts: spaces of subjects of their own, each with its users. Empty, the default: everybody is in one. With users in any
    /// of them clients must show who they are.
    /// </summary>
    public IReadOnlyList<AccountOptions> Accounts { get; set; } = [];

    /// <summary>The account that the server's own events are published in. Null, the default: <c>$SYS</c>.</summary>
    public string? SystemAccount { get; set; }

    /// <summary>A token that lets in whoever knows it: in clear, or as a bcrypt hash.</summary>
    public string? Token { get; set; }

    /// <summary>The name of the user, one of <see cref="Users"/> or of an account's, that clients are who show no credentials or do not say CONNECT.</summary>
    public string? NoAuthUser { get; set; }

    /// <summary>
    /// How long a client may take from its connection, or from the end of the handshake of TLS, to an accepted CONNECT. Default
    /// 2 s, with TLS one second more than the handshake may take.
    /// </summary>
    public TimeSpan AuthTimeout
    {
        get => _authTimeout ?? (Tls is null ? DefaultAuthTimeout : Tls.Timeout + TimeSpan.FromSeconds(1));
        set => _authTimeout = value;
    }

    /// <summary>What clients may do that have no permissions of their own. Null, the default: everything.</summary>
    public Permissions? DefaultPermissions { get; set; }

    /// <summary>
    /// Decides who may connect, instead of <see cref="Users"/> and <see cref="Token"/>. Called on an event loop: it must not
    /// block. What it throws is logged and refuses the client.
    /// </summary>
    public Func<AuthorizationRequest, AuthorizationResult>? Authorize { get; set; }

    /// <summary>
    /// As <see cref="Authorize"/>, for decisions that take time; begun on an event loop. Meanwhile the server serves others;
    /// what the client sends waits, up to 64 KiB of it, and <see cref="AuthTimeout"/> runs on.
    /// </summary>
    public Func<AuthorizationRequest, ValueTask<AuthorizationResult>>? AuthorizeAsync { get; set; }

    /// <summary>Needed for passwords and tokens that are bcrypt hashes.</summary>
    public IPasswordVerifier? PasswordVerifier { get; set; }

    /// <summary>Needed for users with keys.</summary>
    public ISignatureVerifier? SignatureVerifier { get; set; }

    /// <summary>All users, by the accounts they are in.</summary>
    internal IEnumerable<UserGroup> UserGroups
        => Accounts.Select(static a => new UserGroup(a.Name, a.Users, a.DefaultPermissions)).Prepend(new UserGroup(AccountNames.Global, Users, null));

    /// <summary>Whether others say the same of who may come in and what they may do.</summary>
    internal bool HasSecurityOf(BrokerServerOptions other)
        => Users.SequenceEqual(other.Users) && Accounts.SequenceEqual(other.Accounts)
            && string.Equals(SystemAccount, other.SystemAccount, StringComparison.Ordinal)
            && string.Equals(Token, other.Token, StringComparison.Ordinal)
            && string.Equals(NoAuthUser, other.NoAuthUser, StringComparison.Ordinal)
            && AuthTimeout == other.AuthTimeout && DefaultPermissions == other.DefaultPermissions
            && Authorize == other.Authorize && AuthorizeAsync == other.AuthorizeAsync
            && PasswordVerifier == other.PasswordVerifier && SignatureVerifier == other.SignatureVerifier;

    // What is empty was read from somewhere that did not have it: it must not open the server.
    private void RefuseEmptyCredentials()
    {
        Require(Token is not { Length: 0 }, $"{nameof(Token)} is empty. Without a token it is null.");
        Require(NoAuthUser is not { Length: 0 }, $"{nameof(NoAuthUser)} is empty. Without such a user it is null.");
        Require(SystemAccount is not { Length: 0 }, $"{nameof(SystemAccount)} is empty. For the usual one it is null.");
        foreach (User user in Users.Concat(Accounts.SelectMany(a => a.Users)))
        {
            Require(!user.IsPasswordMissing, $"User '{user}' has an empty password. One without a password is made by {nameof(User)}.{nameof(User.WithoutPassword)}.");
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
