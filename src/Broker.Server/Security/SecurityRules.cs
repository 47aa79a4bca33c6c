using System.Buffers.Text;
using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;
using System.Text;

namespace Broker.Server;

/// <summary>
/// The rules of authentication, compiled from the options. Immutable: a reload creates another object.
/// </summary>
internal sealed partial class SecurityRules
{
    private const int NonceBytes = 11;
    private const int CostIndex = 4;

    private readonly Dictionary<string, (Principal Principal, Secret Secret)> _users = new(StringComparer.Ordinal);
    private readonly Dictionary<string, Principal> _keys = new(StringComparer.Ordinal);
    private readonly (Principal Principal, Secret Secret)? _token;
    private readonly string? _givenToken;
    private readonly Principal _anyone;
    private readonly Principal? _noAuthUser;
    private readonly IPasswordVerifier? _passwords;
    private readonly ISignatureVerifier? _signatures;

    // The secret to compare with if the user does not exist. So the time of an answer does not reveal whether a user
    // exists.
    private readonly Secret _decoy;

    /// <param name="options">The options.</param>
    /// <param name="tokens">The check of JWTs, which then replaces all users; null for none.</param>
    /// <param name="callout">The service that decides about all clients but the configured users; null for
    /// none.</param>
    /// <exception cref="ArgumentException">
    /// The options contradict each other, or they need a verifier that is not set.
    /// </exception>
    internal SecurityRules(ISecurityOptions options, IUserTokens? tokens = null, IAuthCallout? callout = null)
    {
        Tokens = tokens;
        Callout = callout;
        Authorize = options.Authorize;
        AuthorizeAsync = options.AuthorizeAsync;
        Timeout = options.AuthTimeout;
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(Timeout, TimeSpan.Zero, nameof(options.AuthTimeout));
        _passwords = options.PasswordVerifier;
        _signatures = options.SignatureVerifier;
        AccessRules? access = options.DefaultPermissions?.Rules;
        DefaultAccess = access;
        _anyone = new Principal(PrincipalKind.Anyone, null, access);
        bool hasUsers = false;
        foreach (UserGroup group in options.UserGroups)
        {
            hasUsers |= group.Users.Count > 0;
            foreach (User user in group.Users)
            {
                Add(user, group.Account, group.DefaultPermissions?.Rules ?? access);
            }
        }

        _noAuthUser = FindNoAuthUser(options.NoAuthUser);
        if (!string.IsNullOrEmpty(options.Token))
        {
            _givenToken = options.Token;
            var token = new Secret(options.Token, "the token", _passwords);
            _token = (new Principal(PrincipalKind.Token, null, access), token);
        }

        if (UsesCallback && (hasUsers || _token is not null || (Authorize is not null && AuthorizeAsync is not null)))
        {
            throw new ArgumentException(
                $"Set only users and a token, or only {nameof(Authorize)}, or only {nameof(AuthorizeAsync)}.");
        }

        // If one account has users, all clients must authenticate.
        RequiresAuth = UsesCallback || hasUsers || _token is not null || tokens is not null;
        _decoy = _users.Values.Select(u => u.Secret).Where(s => s.Hash is not null)
            .MaxBy(s => s.Hash!.Substring(CostIndex, 2), StringComparer.Ordinal)
            ?? new Secret(RandomNumberGenerator.GetHexString(32), "nobody", null);
    }

    /// <summary>The check of JWTs; null if users do not authenticate by JWTs.</summary>
    internal IUserTokens? Tokens { get; }

    /// <summary>The service that decides about all clients but the configured users; null for none.</summary>
    internal IAuthCallout? Callout { get; }

    internal Func<AuthorizationRequest, AuthorizationResult>? Authorize { get; }

    internal Func<AuthorizationRequest, ValueTask<AuthorizationResult>>? AuthorizeAsync { get; }

    internal TimeSpan Timeout { get; }

    internal AccessRules? DefaultAccess { get; }

    /// <summary>Whether clients must authenticate.</summary>
    internal bool RequiresAuth { get; }

    /// <summary>Whether a callback of the application decides whether a client may connect.</summary>
    internal bool UsesCallback => Authorize is not null || AuthorizeAsync is not null;

    /// <summary>The principal of a client without a CONNECT; null if the client must authenticate.</summary>
    internal Principal? Anonymous => RequiresAuth ? _noAuthUser : _anyone;

    /// <summary>Finds the user with this name or key; null if no such user exists.</summary>
    internal Principal? Find(string name)
        => _users.TryGetValue(name, out (Principal Principal, Secret Secret) user)
            ? user.Principal
            : _keys.GetValueOrDefault(name);

    /// <summary>
    /// Whether the server checks these credentials itself: they name a configured user, or are those of nobody and
    /// there is a user for that.
    /// </summary>
    internal bool IsLocal(Credentials credentials)
        => credentials.IsEmpty ? string.IsNullOrEmpty(credentials.Jwt) && _noAuthUser is not null
            : !string.IsNullOrEmpty(credentials.Key) ? _keys.ContainsKey(credentials.Key)
            : !string.IsNullOrEmpty(credentials.User) && _users.ContainsKey(credentials.User);

    /// <summary>
    /// Creates the nonce in INFO that a client signs, as nats-server does: 11 random bytes in base64url. Returns null
    /// if no user can have a key.
    /// </summary>
    internal string? NewNonce()
        => _keys.Count == 0 && Tokens is null ? null : Base64Url.EncodeToString(RandomNumberGenerator.GetBytes(NonceBytes));

    /// <summary>Checks credentials against the users and the token.</summary>
    internal Verdict Check(Credentials credentials, string? nonce)
    {
        if (credentials.IsEmpty)
        {
            return new Verdict(_noAuthUser);
        }

        if (!string.IsNullOrEmpty(credentials.Key) && _keys.Count > 0)
        {
            return CheckSignature(credentials.Key, credentials.Signature, nonce);
        }

        if (!string.IsNullOrEmpty(credentials.Token) && _token is { } token)
        {
            return Check(token.Secret, credentials.Token, token.Principal);
        }

        bool known = _users.TryGetValue(credentials.User ?? "", out (Principal Principal, Secret Secret) user);
        return Check(known ? user.Secret : _decoy, credentials.Password ?? "", known ? user.Principal : null);
    }

    /// <summary>
    /// Finds the new principal of a client that was authenticated by other rules. Returns null and an error text for
    /// the client if the client must not stay connected. The server does not store the client's password and cannot
    /// verify it again: the client stays if the configured password of its user has not changed.
    /// </summary>
    internal Principal? Renew(Principal before, SecurityRules rules, out string refusal)
    {
        refusal = "Authorization Violation";
        if (!RequiresAuth)
        {
            return _anyone;
        }

        switch (before.Kind)
        {
            case PrincipalKind.Anyone or PrincipalKind.NoAuthUser:
                return _noAuthUser;
            case PrincipalKind.Token:
                return _token is not null && string.Equals(_givenToken, rules._givenToken, StringComparison.Ordinal)
                    ? _token.Value.Principal
                    : null;
            case PrincipalKind.Callout:
                return Callout is not null && Callout == rules.Callout ? before : null;
            case PrincipalKind.Jwt:
                return Tokens?.Renew(before, out refusal);
            case PrincipalKind.Application:
                bool same = UsesCallback && Authorize == rules.Authorize && AuthorizeAsync == rules.AuthorizeAsync;
                return !same ? null
                    : before.Access == rules.DefaultAccess ? before with { Access = DefaultAccess }
                    : before;
        }

        User user = before.User!;
        Principal? now = user.Key is not null ? _keys.GetValueOrDefault(user.Name)
            : _users.TryGetValue(user.Name, out (Principal Principal, Secret Secret) known) ? known.Principal : null;
        if (now is null)
        {
            refusal = "User Authentication Revoked";
            return null;
        }

        return string.Equals(now.User!.Password, user.Password, StringComparison.Ordinal) ? now : null;
    }

    private Verdict Check(Secret secret, string credentials, Principal? principal)
    {
        if (secret.Hash is { } hash)
        {
            byte[] password = Encoding.UTF8.GetBytes(credentials);
            return new Verdict(null, () => _passwords!.Verify(password, hash) ? new Verdict(principal) : default);
        }

        if (secret.Matches(credentials) && principal is not null)
        {
            return new Verdict(principal);
        }

        // The answer must take the same time for a plain text password, a hashed password and an unknown user.
        return _decoy.Hash is null ? default : Check(_decoy, credentials, null);
    }

    // The signature is verified with the key in the CONNECT, so the verification takes the same time for an unknown
    // key.
    private Verdict CheckSignature(string key, string? signature, string? nonce)
    {
        if (nonce is null
            || !PublicKey.TryDecode(key, out byte[]? bytes)
            || !TryDecodeSignature(signature, out byte[]? signed))
        {
            return default;
        }

        byte[] message = Encoding.ASCII.GetBytes(nonce);
        Principal? principal = _keys.GetValueOrDefault(key);
        return new Verdict(null, () => _signatures!.Verify(bytes, message, signed) ? new Verdict(principal) : default);
    }

    /// <summary>Decodes a signature of a nonce. As in nats-server, it may be base64url or base64.</summary>
    internal static bool TryDecodeSignature(string? text, [NotNullWhen(true)] out byte[]? signature)
    {
        signature = null;
        try
        {
            signature = text is null ? null
                : Base64Url.IsValid(text) ? Base64Url.DecodeFromChars(text)
                : Convert.FromBase64String(text);
        }
        catch (FormatException)
        {
            // The text is not a signature: the method returns false.
        }

        return signature is not null;
    }

    private void Add(User user, string account, AccessRules? access)
    {
        ArgumentNullException.ThrowIfNull(user);
        var principal = new Principal(PrincipalKind.User, user.Name, user.Permissions?.Rules ?? access)
        {
            User = user,
            Account = account,
        };
        if (user.Key is null)
        {
            // A user that can only authenticate by a certificate gets a random password that nobody knows.
            string password = user.HasCertificateOnly ? RandomNumberGenerator.GetHexString(32) : user.Password;
            if (!_users.TryAdd(user.Name, (principal, new Secret(password, $"user '{user.Name}'", _passwords))))
            {
                throw new ArgumentException($"There are two users '{user.Name}'.");
            }

            return;
        }

        if (_signatures is null)
        {
            throw new ArgumentException(
                $"User '{user.Name}' has a key: set {nameof(BrokerServerOptions.SignatureVerifier)}, for example with "
                + "the package Broker.Cryptography.");
        }

        if (!_keys.TryAdd(user.Name, principal))
        {
            throw new ArgumentException($"There are two users '{user.Name}'.");
        }
    }

    private Principal? FindNoAuthUser(string? name)
    {
        if (string.IsNullOrEmpty(name))
        {
            return null;
        }

        return _users.TryGetValue(name, out (Principal Principal, Secret Secret) user)
            ? user.Principal with { Kind = PrincipalKind.NoAuthUser }
            : throw new ArgumentException(
                $"{nameof(BrokerServerOptions.NoAuthUser)} is '{name}', but there is no such user.");
    }
}
