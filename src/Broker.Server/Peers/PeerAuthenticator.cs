using System.Net;

namespace Broker.Server;

/// <summary>
/// Authenticates servers that join this server, by users of their own or by the users of the clients. Slow
/// verifications run on other threads, a limited number at a time together with those of clients.
/// <see cref="BrokerServer.CreatePeerAuthenticator"/> creates an instance. Thread-safe.
/// </summary>
public sealed class PeerAuthenticator
{
    private readonly ServerCore _core;
    private readonly SecurityRules? _own;

    internal PeerAuthenticator(ServerCore core, IReadOnlyList<PeerUser> users)
    {
        _core = core;
        foreach (PeerUser user in users)
        {
            if (user.User.IsPasswordMissing)
            {
                throw new ArgumentException($"User '{user.User}' has an empty password.");
            }

            if (user.Account is { } account && core.Accounts.Find(account) is null)
            {
                throw new ArgumentException($"There is no account '{account}'.");
            }
        }

        _own = users.Count == 0 ? null : new SecurityRules(new PeerSecurityOptions(users, core.Options));
        if (Rules.UsesCallback)
        {
            throw new ArgumentException("Leaf nodes need users of their own, because a callback authenticates the clients.");
        }

        if (_own is null && Rules.Tokens is not null)
        {
            throw new ArgumentException("Leaf nodes need users of their own, because JWTs authenticate the clients.");
        }
    }

    /// <summary>Whether a peer must send credentials.</summary>
    public bool RequiresCredentials => Rules.Anonymous is null;

    private SecurityRules Rules => _own ?? _core.Security;

    /// <summary>Creates a nonce that a peer with a key signs; null if no user has a key.</summary>
    public string? CreateNonce() => Rules.NewNonce();

    /// <summary>Checks the credentials of a peer.</summary>
    /// <param name="from">The address of the peer; null if it is unknown.</param>
    /// <param name="credentials">The credentials.</param>
    /// <param name="nonce">The nonce that was sent to the peer; null for none.</param>
    /// <param name="onResult">
    /// Called once with the identity, or null if the peer is refused: before the method returns, or on another thread.
    /// </param>
    public void Authenticate(EndPoint? from, PeerCredentials credentials, string? nonce, Action<PeerIdentity?> onResult)
    {
        ArgumentNullException.ThrowIfNull(credentials);
        ArgumentNullException.ThrowIfNull(onResult);
        SecurityRules rules = Rules;
        var shown = credentials.ToCredentials();
        if (rules.Anonymous is { } anyone && (shown.IsEmpty || !rules.RequiresAuth))
        {
            onResult(Identify(anyone, rules));
            return;
        }

        Verdict verdict = rules.UsesCallback ? default : rules.Check(shown, nonce);
        if (verdict.Verify is null)
        {
            onResult(Identify(verdict.Principal, rules));
        }
        else if (!_core.Verifications.TryEnqueue(from, new Check(verdict, principal => onResult(Identify(principal, rules)))))
        {
            onResult(null);
        }
    }

    /// <summary>
    /// Whether an identity, also one of an earlier instance, is still valid: its user exists with the same secret,
    /// account and permissions.
    /// </summary>
    public bool IsValid(PeerIdentity identity)
    {
        ArgumentNullException.ThrowIfNull(identity);
        SecurityRules rules = Rules;
        if (rules == identity.Rules)
        {
            return true;
        }

        Principal before = identity.Principal;
        return rules.Renew(before, identity.Rules, out _) is { } now
            && string.Equals(now.Account, before.Account, StringComparison.Ordinal)
            && _core.Accounts.Find(now.Account) is not null
            && HasSame(now.Access?.Source, before.Access?.Source);
    }

    private static bool HasSame(Permissions? one, Permissions? other)
        => HasSame(one?.Publish, other?.Publish) && HasSame(one?.Subscribe, other?.Subscribe);

    private static bool HasSame(SubjectPermissions? one, SubjectPermissions? other)
        => (one?.Allow is null) == (other?.Allow is null)
            && (one?.Allow ?? []).SequenceEqual(other?.Allow ?? [], StringComparer.Ordinal)
            && (one?.Deny ?? []).SequenceEqual(other?.Deny ?? [], StringComparer.Ordinal);

    private static PeerIdentity? Identify(Principal? principal, SecurityRules rules)
        => principal is not null && principal.User?.AllowedTransports?.Contains(ClientTransport.LeafNode) is not false
            ? new PeerIdentity(principal, rules)
            : null;

    // A peer that disconnects meanwhile is verified too: the queue bounds the verifications of its address.
    private sealed class Check(Verdict verdict, Action<Principal?> onResult) : Verification
    {
        internal override bool IsAbandoned => false;

        internal override void Run()
        {
            Principal? principal = null;
            try
            {
                principal = verdict.Verify!().Principal;
            }
#pragma warning disable CA1031 // The verifier belongs to the application and may throw any exception: the peer is refused.
            catch (Exception e) when (e is not OutOfMemoryException)
#pragma warning restore CA1031
            {
                principal = null;
            }

            onResult(principal);
        }
    }
}
