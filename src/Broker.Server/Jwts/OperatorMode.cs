using System.Net;
using System.Text;

namespace Broker.Server;

/// <summary>
/// Authenticates users whose JWTs an account has signed, whose JWT an operator has signed. The JWTs of operators and
/// accounts are verified once, when they are read; a login verifies the JWT of the user and the signature of the nonce.
/// Immutable and thread-safe: a reload creates another object.
/// </summary>
internal sealed class OperatorMode : IUserTokens
{
    private const string Expired = "User Authentication Expired";
    private const string AccountExpired = "Account Authentication Expired";
    private const string Revoked = "User Authentication Revoked";
    private const string Violation = "Authorization Violation";

    private readonly Dictionary<string, AccountClaims> _accounts = new(StringComparer.Ordinal);

    // Key: the text of the JWT of an account.
    private readonly Dictionary<string, AccountClaims> _verified = new(StringComparer.Ordinal);
    private readonly TrustedOperators _operators;
    private readonly ISignatureVerifier _verifier;
    private readonly TimeProvider _time;

    /// <param name="options">The options.</param>
    /// <param name="verifier">The verifier of signatures.</param>
    /// <param name="time">The clock.</param>
    /// <param name="before">The previous object, which has verified JWTs of accounts already; null for none.</param>
    /// <exception cref="ArgumentException">A JWT is refused; the message names it and the reason.</exception>
    internal OperatorMode(OperatorOptions options, ISignatureVerifier? verifier, TimeProvider time, OperatorMode? before)
    {
        _verifier = verifier ?? throw new ArgumentException(
            "A server with operators needs a verifier of signatures, for example of the package Broker.Cryptography.");
        _time = time;
        _operators = new TrustedOperators(options, verifier);
        foreach ((string key, string text) in options.Accounts)
        {
            AccountClaims account = before?._verified.GetValueOrDefault(text) ?? Read(key, text);
            string? why = string.Equals(account.Key, key, StringComparison.Ordinal)
                ? _operators.WhyNot(account.Jwt)
                : $"\"sub\" is {account.Key}";
            if (why is not null)
            {
                throw Refused(key, why);
            }

            _accounts.Add(key, account);
            _verified.TryAdd(text, account);
        }

        var links = new AccountLinker(_accounts, verifier, Now);
        Accounts = [.. _accounts.Values.Select(links.ToOptions)];
        Warnings = links.Warnings;
        NextChange = Math.Min(links.NextChange, _accounts.Values.Select(NextOf).DefaultIfEmpty(long.MaxValue).Min());
    }

    /// <summary>The accounts with their exports, imports, mappings and limits.</summary>
    internal IReadOnlyList<AccountOptions> Accounts { get; }

    /// <summary>The system account in the JWT of an operator; null for none.</summary>
    internal string? SystemAccount => _operators.SystemAccount;

    /// <summary>Imports that have no effect, with the reasons.</summary>
    internal IReadOnlyList<string> Warnings { get; }

    /// <summary>
    /// The Unix time in seconds when an account or an activation expires or becomes valid;
    /// <see cref="long.MaxValue"/> for never.
    /// </summary>
    internal long NextChange { get; }

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
            (Principal? principal, reason, _) = Admit(user, new UserGrant(user, from, transport));
            bool isBearer = TermsOf(user)?.IsBearer == true;
            return principal is null ? new Verdict(null, null, $"the JWT of user {jwt.Subject} is refused: {reason}")
                : isBearer || HasSigned(jwt, credentials.Signature, nonce) ? new Verdict(principal)
                : new Verdict(null, null, $"user {jwt.Subject} has not signed the nonce");
        }
        catch (JwtException e)
        {
            return new Verdict(null, null, $"the JWT of user {jwt.Subject} is refused: {e.Message}");
        }
    }

    /// <inheritdoc/>
    public Principal? Renew(Principal before, out string refusal)
    {
        UserGrant grant = before.Grant!;
        try
        {
            (Principal? principal, _, refusal) = Admit((UserClaims)grant.Token, grant);
            return principal;
        }
        catch (JwtException)
        {
            // The account has a new template, and the user has no valid permissions by it.
            refusal = Violation;
            return null;
        }
    }

    // Checks everything but signatures. Returns the principal, or the reason for the log and the error text for a
    // client that is connected already.
    private (Principal? Principal, string? Reason, string Refusal) Admit(UserClaims user, UserGrant grant)
    {
        if (!_accounts.TryGetValue(user.Account, out AccountClaims? account))
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

        if (terms.WhyNotFrom(grant.From, grant.Transport) is { } place)
        {
            return (null, place, Violation);
        }

        if (!terms.TryFindEnd(now, out DateTimeOffset end))
        {
            return (null, "it may not be connected at this time of day", Expired);
        }

        return (ToPrincipal(user, account, terms, grant, end), null, Violation);
    }

    private static Principal ToPrincipal(UserClaims user, AccountClaims account, UserTerms terms, UserGrant grant, DateTimeOffset end)
    {
        DateTimeOffset expires = TimeOf(user.Jwt.Expires);
        end = expires < end ? expires : end;
        DateTimeOffset accountEnd = TimeOf(account.Jwt.Expires);
        JwtPermissions permissions = terms == user.Terms ? terms.Permissions : PermissionTemplate.Apply(terms.Permissions, user, account);
        AccessRules? access;
        try
        {
            access = permissions.AreEmpty ? account.DefaultAccess : permissions.Compile();
        }
        catch (ArgumentException e)
        {
            throw new JwtException($"a permission is wrong: {e.Message}");
        }

        return new Principal(PrincipalKind.Jwt, user.Jwt.Subject, access)
        {
            Account = account.Key,
            Grant = grant with
            {
                Subscriptions = terms.Subscriptions,
                Payload = terms.Payload,
                Ends = accountEnd < end ? accountEnd : end,
                EndText = accountEnd < end ? AccountExpired : Expired,
            },
        };
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
        if (!Jwt.TryRead(text, JwtKind.Account, _verifier, out Jwt? jwt, out string? reason))
        {
            throw Refused(key, reason);
        }

        try
        {
            return new AccountClaims(jwt);
        }
        catch (Exception e) when (e is JwtException or ArgumentException)
        {
            throw Refused(key, e.Message.TrimEnd('.'));
        }
    }

    // The key may be any text of a configuration file.
    private static ArgumentException Refused(string key, string why)
        => new($"The JWT of account {(PublicKey.IsValid(key, KeyKind.Account) ? key : QuotedText.Of(Encoding.UTF8.GetBytes(key)))} is refused: {why}.");

    private long NextOf(AccountClaims account)
        => Now < account.Jwt.NotBefore ? account.Jwt.NotBefore : Now < account.Jwt.Expires ? account.Jwt.Expires : long.MaxValue;

    private static DateTimeOffset TimeOf(long seconds)
        => seconds >= DateTimeOffset.MaxValue.ToUnixTimeSeconds() ? DateTimeOffset.MaxValue : DateTimeOffset.FromUnixTimeSeconds(seconds);
}
