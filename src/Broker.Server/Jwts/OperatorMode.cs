using System.Collections.Concurrent;
using System.Net;
using System.Text;

namespace Broker.Server;

/// <summary>
/// Authenticates users whose JWTs an account has signed, whose JWT an operator has signed. The JWTs of operators and
/// accounts are verified once, when they are read; a login verifies the JWT of the user and the signature of the nonce.
/// A reload creates another object; a change of one account changes this object. Thread-safe, apart from
/// <see cref="Graph"/>.
/// </summary>
internal sealed partial class OperatorMode : IUserTokens
{
    private const string Expired = "User Authentication Expired";
    private const string AccountExpired = "Account Authentication Expired";
    private const string Revoked = "User Authentication Revoked";
    private const string Violation = "Authorization Violation";

    // The accounts that logins see.
    private readonly ConcurrentDictionary<string, AccountClaims> _accounts = new(StringComparer.Ordinal);
    private readonly TrustedOperators _operators;
    private readonly HashSet<string>? _pinned;
    private readonly ISignatureVerifier _verifier;
    private readonly TimeProvider _time;

    /// <param name="options">The options.</param>
    /// <param name="systemAccount">The system account that other options name; null for none.</param>
    /// <param name="verifier">The verifier of signatures.</param>
    /// <param name="time">The clock.</param>
    /// <exception cref="ArgumentException">A JWT is refused; the message names it and the reason.</exception>
    internal OperatorMode(OperatorOptions options, string? systemAccount, ISignatureVerifier? verifier, TimeProvider time)
    {
        _verifier = verifier ?? throw new ArgumentException(
            "A server with operators needs a verifier of signatures, for example of the package Broker.Cryptography.");
        _time = time;
        _operators = new TrustedOperators(options, verifier);
        SystemAccount = systemAccount ?? _operators.SystemAccount;
        _pinned = PinnedOf(options, SystemAccount);
        options.Resolver?.Validate();
        if (options.Resolver is DirectoryResolver && SystemAccount is null)
        {
            throw new ArgumentException(
                "A resolver with a directory needs a system account: name it in the options or in the JWT of the operator.");
        }

        Graph = new AccountGraph(verifier);
        var accounts = new List<AccountClaims>();
        foreach ((string key, string text) in options.Accounts)
        {
            AccountClaims account = options.Verified.GetOrRead(text, verifier, () => Read(key, text));
            string? why = string.Equals(account.Key, key, StringComparison.Ordinal)
                ? _operators.WhyNot(account.Jwt)
                : $"\"sub\" is {account.Key}";
            if (why is not null)
            {
                throw Refused(key, why);
            }

            accounts.Add(account);
        }

        // A directory may contain newer JWTs of these accounts.
        Use(options.Resolver is DirectoryResolver ? [] : accounts);
    }

    /// <summary>The accounts in use. The lock of the reload protects it.</summary>
    internal AccountGraph Graph { get; }

    /// <summary>The key of the system account; null for none.</summary>
    internal string? SystemAccount { get; }

    /// <summary>Finds accounts that are not in use yet; null without a resolver.</summary>
    internal IAccountLoader? Loader { get; set; }

    /// <summary>Takes over the accounts that a resolver has found for an earlier object, as far as they are trusted.</summary>
    internal void Inherit(OperatorMode before)
    {
        Loader = before.Loader;
        if (Loader is not null)
        {
            Use([.. before.Graph.All.Select(static a => a.Claims).Where(a => !IsInUse(a.Key) && Trusts(a))]);
        }
    }

    /// <summary>Whether an operator of this server has signed the account.</summary>
    internal bool Trusts(AccountClaims account) => _operators.WhyNot(account.Jwt) is null;

    /// <summary>Whether logins see the account.</summary>
    internal bool IsInUse(string account) => _accounts.ContainsKey(account);

    /// <summary>
    /// Whether an account is not in use, or has a JWT that does not count now, so that there may be a newer one.
    /// </summary>
    internal bool NeedsLookup(string account)
        => !_accounts.TryGetValue(account, out AccountClaims? claims) || claims.Jwt.WhyNotNow(Now) is not null;

    /// <summary>Reads the JWT of an account, and verifies its signature and that an operator is trusted.</summary>
    /// <exception cref="JwtException">The JWT is refused.</exception>
    internal AccountClaims ReadTrusted(string text)
    {
        AccountClaims account = Verify(text);
        return _operators.WhyNot(account.Jwt) is { } why ? throw new JwtException(why) : account;
    }

    /// <summary>Reads the JWT of a request that an operator has signed.</summary>
    /// <param name="text">The JWT.</param>
    /// <param name="issuer">The key that has signed; empty if the text is not such a JWT.</param>
    /// <param name="accounts">The accounts that the request names.</param>
    /// <exception cref="JwtException">The JWT is refused.</exception>
    internal void ReadRequest(string text, out string issuer, out IReadOnlyList<string> accounts)
    {
        issuer = "";
        if (!Jwt.TryRead(text, JwtKind.Generic, _verifier, out Jwt? jwt, out string? reason))
        {
            throw new JwtException(reason);
        }

        issuer = jwt.Issuer;
        accounts = _operators.WhyNot(jwt) is not null ? throw new JwtException("not trusted")
            : jwt.WhyNotNow(Now) is { } late ? throw new JwtException(late)
            : !jwt.Nats.Has("accounts") ? throw new JwtException("malformed request")
            : jwt.Nats.Texts("accounts");
    }

    private static HashSet<string>? PinnedOf(OperatorOptions options, string? systemAccount)
    {
        foreach (string key in options.PinnedAccounts)
        {
            if (!PublicKey.IsValid(key, KeyKind.Account))
            {
                throw new ArgumentException("A pinned account is not the public key of an account: 56 characters that begin with 'A'.");
            }
        }

        return options.PinnedAccounts.Count == 0 ? null
            : new HashSet<string>(systemAccount is null ? options.PinnedAccounts : [.. options.PinnedAccounts, systemAccount], StringComparer.Ordinal);
    }

    private void Use(IReadOnlyCollection<AccountClaims> accounts)
    {
        Graph.Apply(accounts, [], Now);
        foreach (AccountClaims account in accounts)
        {
            Publish(account);
        }
    }

    /// <summary>Lets logins see new claims of an account.</summary>
    internal void Publish(AccountClaims account) => _accounts[account.Key] = account;

    /// <summary>Lets logins no longer see an account.</summary>
    internal void Withdraw(string account) => _accounts.TryRemove(account, out _);

    private long Now => _time.GetUtcNow().ToUnixTimeSeconds();

    /// <inheritdoc/>
    public Verdict Check(Credentials credentials, string? nonce, EndPoint? from, ClientTransport transport)
    {
        if (string.IsNullOrEmpty(credentials.Jwt))
        {
            return new Verdict(null, null, "it has sent no JWT");
        }

        if (!Jwt.TryRead(credentials.Jwt, JwtKind.User, _verifier, out Jwt? jwt, out string? reason))
        {
            return new Verdict(null, null, $"its JWT is refused: {reason}");
        }

        try
        {
            var user = new UserClaims(jwt);
            if (_pinned?.Contains(user.Account) == false)
            {
                return new Verdict(null, null, $"the JWT of user {jwt.Subject} is refused: its account {user.Account} is not pinned");
            }

            if (Loader is not null && NeedsLookup(user.Account))
            {
                string what = IsInUse(user.Account) ? "not valid now" : "unknown";
                return new Verdict(
                    null, null, $"the JWT of user {jwt.Subject} is refused: its account {user.Account} is {what}", (out Task found) => Loader.TryBegin(user.Account, out found));
            }

            bool isBearer = TermsOf(user)?.IsBearer == true;
            (Principal? principal, reason, _) = Admit(user, new UserGrant(user, from, transport) { IsBearer = isBearer }, null);
            return principal is null ? new Verdict(null, null, $"the JWT of user {jwt.Subject} is refused: {reason}")
                : !isBearer && !HasSigned(jwt, credentials.Signature, nonce) ? new Verdict(null, null, $"user {jwt.Subject} has not signed the nonce")
                : principal.Grant!.Account is AccountClaims { Authorization: { } service } account && !service.Users.Contains(jwt.Subject) ? Entrust(account, principal)
                : new Verdict(principal);
        }
        catch (JwtException e)
        {
            return new Verdict(null, null, $"the JWT of user {jwt.Subject} is refused: {e.Message}");
        }
    }

    /// <inheritdoc/>
    public bool IsCurrent(Principal principal)
        => _accounts.TryGetValue(principal.Account, out AccountClaims? account) && account == principal.Grant!.Account;

    /// <inheritdoc/>
    public Principal? Renew(Principal before, out string refusal)
    {
        refusal = "";
        if (IsCurrent(before))
        {
            return before;
        }

        try
        {
            (Principal? principal, _, refusal) = Admit((UserClaims)before.Grant!.Token, before.Grant, before);
            return principal;
        }
        catch (JwtException)
        {
            refusal = Violation;
            return null;
        }
    }

    // Checks everything but signatures. Returns the principal, or the reason for the log and the error text for a
    // client that is connected already.
    private (Principal? Principal, string? Reason, string Refusal) Admit(UserClaims user, UserGrant grant, Principal? before)
    {
        if (!_accounts.TryGetValue(user.Account, out AccountClaims? account) || _pinned?.Contains(user.Account) == false)
        {
            return (null, "its account is unknown", AccountExpired);
        }

        DateTimeOffset now = _time.GetUtcNow();
        if (account.Jwt.WhyNotNow(now.ToUnixTimeSeconds()) is { } late)
        {
            return (null, $"its account {account.Key}: {late}", AccountExpired);
        }

        if (user.Jwt.WhyNotNow(now.ToUnixTimeSeconds()) is { } why)
        {
            return (null, why, Expired);
        }

        if (account.Revocations.Contain(user.Jwt.Subject, user.Jwt.IssuedAt))
        {
            return (null, "it is revoked", Revoked);
        }

        if (WhyNotSignedBy(account, user) is { } wrong)
        {
            return (null, wrong, Violation);
        }

        UserTerms terms = TermsOf(user)!;
        if (account.RefusesBearer && terms.IsBearer)
        {
            return (null, "its account does not accept bearer tokens", Violation);
        }

        if (grant.IsBearer && !terms.IsBearer)
        {
            return (null, "it has not signed the nonce", Violation);
        }

        if (terms.WhyNotFrom(grant.From, grant.Transport) is { } place)
        {
            return (null, place, Violation);
        }

        if (!terms.TryFindEnd(now, out DateTimeOffset end))
        {
            return (null, "it may not be connected at this time of day", Expired);
        }

        return (ToPrincipal(user, account, terms, grant, end, before), null, Violation);
    }

    private static Principal ToPrincipal(
        UserClaims user, AccountClaims account, UserTerms terms, UserGrant grant, DateTimeOffset end, Principal? before)
    {
        DateTimeOffset expires = TimeOf(user.Jwt.Expires);
        end = expires < end ? expires : end;
        DateTimeOffset accountEnd = TimeOf(account.Jwt.Expires);
        bool isOwn = terms == user.Terms;
        AccessRules? access = isOwn && grant.HasOwnAccess ? before!.Access : AccessOf(user, account, terms, isOwn);
        return new Principal(PrincipalKind.Jwt, before?.Name ?? user.Jwt.Subject, access)
        {
            Account = account.Key,
            Grant = grant with
            {
                Account = account,
                HasOwnAccess = isOwn && !terms.Permissions.AreEmpty,
                Subscriptions = terms.Subscriptions,
                Payload = terms.Payload,
                Ends = accountEnd < end ? accountEnd : end,
                EndText = accountEnd < end ? AccountExpired : Expired,
            },
        };
    }

    private static AccessRules? AccessOf(UserClaims user, AccountClaims account, UserTerms terms, bool isOwn)
    {
        JwtPermissions permissions = isOwn ? terms.Permissions : PermissionTemplate.Apply(terms.Permissions, user, account);
        try
        {
            return permissions.AreEmpty ? account.DefaultAccess : permissions.Compile();
        }
        catch (ArgumentException e)
        {
            throw new JwtException($"a permission is wrong: {e.Message}");
        }
    }

    private string? WhyNotSignedBy(AccountClaims account, UserClaims user)
    {
        if (string.Equals(user.Jwt.Issuer, account.Key, StringComparison.Ordinal))
        {
            return _operators.IsStrict(account.Jwt) ? "its account must sign with a signing key" : null;
        }

        return account.FindKey(user.Jwt.Issuer) is not { } key ? "its issuer is not a key of its account"
            : key.Template is not null && !user.Terms.AreEmpty ? "it has limits or permissions of its own, but its signing key has them for all its users"
            : null;
    }

    // The template of a scoped signing key replaces the claims of the user.
    private UserTerms? TermsOf(UserClaims user)
        => _accounts.GetValueOrDefault(user.Account)?.FindKey(user.Jwt.Issuer)?.Template ?? user.Terms;

    private bool HasSigned(Jwt user, string? signature, string? nonce)
        => nonce is not null && SecurityRules.TryDecodeSignature(signature, out byte[]? signed)
            && PublicKey.TryDecode(user.Subject, out byte[]? key)
            && _verifier.Verify(key, Encoding.ASCII.GetBytes(nonce), signed);

    private AccountClaims Read(string key, string text)
    {
        try
        {
            return Verify(text);
        }
        catch (JwtException e)
        {
            throw Refused(key, e.Message);
        }
    }

    // Verifies the signature, but not whether an operator is trusted.
    private AccountClaims Verify(string text)
    {
        if (!Jwt.TryRead(text, JwtKind.Account, _verifier, out Jwt? jwt, out string? reason))
        {
            throw new JwtException(reason);
        }

        try
        {
            return new AccountClaims(jwt);
        }
        catch (ArgumentException e)
        {
            throw new JwtException(e.Message.TrimEnd('.'));
        }
    }

    // The key may be any text of a configuration file.
    private static ArgumentException Refused(string key, string why)
        => new($"The JWT of account {(PublicKey.IsValid(key, KeyKind.Account) ? key : QuotedText.Of(Encoding.UTF8.GetBytes(key)))} is refused: {why}.");

    private static DateTimeOffset TimeOf(long seconds)
        => seconds >= DateTimeOffset.MaxValue.ToUnixTimeSeconds() ? DateTimeOffset.MaxValue : DateTimeOffset.FromUnixTimeSeconds(seconds);
}
