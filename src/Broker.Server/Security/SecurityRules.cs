using System.Buffers.Text;
using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;
using System.Text;

namespace Broker.Server.Security;

/// <summary>Who may come in, as the options said at one time. Immutable: an update makes another one.</summary>
internal sealed partial class SecurityRules
{
    private const int NonceBytes = 11;
    private const int CostStart = 4;

    private readonly Dictionary<string, (Principal Principal, Secret Secret)> _users = new(StringComparer.Ordinal);
    private readonly Dictionary<string, Principal> _keys = new(StringComparer.Ordinal);
    private readonly (Principal Principal, Secret Secret)? _token;
    private readonly string? _givenToken;
    private readonly Principal _anyone;
    private readonly Principal? _noAuthUser;
    private readonly IPasswordVerifier? _passwords;
    private readonly ISignatureVerifier? _signatures;

    // What a user is compared with who does not exist, so that time does not tell that he does not.
    private readonly Secret _decoy;

    /// <exception cref="ArgumentException">The options contradict each other, or need a verifier that they do not have.</exception>
    internal SecurityRules(BrokerServerOptions options)
    {
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
            _token = (new Principal(PrincipalKind.Token, null, access), new Secret(options.Token, "the token", _passwords));
        }

        if (Asks && (hasUsers || _token is not null || (Authorize is not null && AuthorizeAsync is not null)))
        {
            throw new ArgumentException($"Only one of users and token, {nameof(Authorize)} and {nameof(AuthorizeAsync)} can decide.");
        }

        // Whoever asks anybody of one account asks everybody: an account of the server's alone lets nobody in unasked.
        RequiresAuth = Asks || hasUsers || _token is not null;
        _decoy = _users.Values.Select(u => u.Secret).Where(s => s.Hash is not null)
            .MaxBy(s => s.Hash!.Substring(CostStart, 2), StringComparer.Ordinal) ?? new Secret(RandomNumberGenerator.GetHexString(32), "nobody", null);
    }

    internal Func<AuthorizationRequest, AuthorizationResult>? Authorize { get; }

    internal Func<AuthorizationRequest, ValueTask<AuthorizationResult>>? AuthorizeAsync { get; }

    internal TimeSpan Timeout { get; }

    internal AccessRules? DefaultAccess { get; }

    /// <summary>Whether a client must show anything at all.</summary>
    internal bool RequiresAuth { get; }

    /// <summary>Whether the application decides.</summary>
    internal bool Asks => Authorize is not null || AuthorizeAsync is not null;

    /// <summary>Who a client is before and without CONNECT; null when it must say one.</summary>
    internal Principal? Unasked => RequiresAuth ? _noAuthUser : _anyone;

    /// <summary>The user of that name, with a password or a key; null when there is none.</summary>
    internal Principal? Find(string name)
        => _users.TryGetValue(name, out (Principal Principal, Secret Secret) user) ? user.Principal : _keys.GetValueOrDefault(name);

    /// <summary>What a client is to sign, for its INFO; null when nobody signs. nats-server's form: 11 random bytes in base64url.</summary>
    internal string? NewNonce() => _keys.Count == 0 ? null : Base64Url.EncodeToString(RandomNumberGenerator.GetBytes(NonceBytes));

    /// <summary>Decides by users and token.</summary>
    internal Verdict Check(Credentials shown, string? nonce)
    {
        if (shown.IsEmpty)
        {
            return new Verdict(_noAuthUser);
        }

        if (!string.IsNullOrEmpty(shown.Key) && _keys.Count > 0)
        {
            return CheckSignature(shown.Key, shown.Signature, nonce);
        }

        if (!string.IsNullOrEmpty(shown.Token) && _token is { } token)
        {
            return Check(token.Secret, shown.Token, token.Principal);
        }

        bool known = _users.TryGetValue(shown.User ?? "", out (Principal Principal, Secret Secret) user);
        return Check(known ? user.Secret : _decoy, shown.Password ?? "", known ? user.Principal : null);
    }

    /// <summary>
    /// As whom a client stays that was let in by other rules; null when it does not, with the text to tell it. No password is
    /// kept to be checked again: who was let in by one stays when it is the same as it was then.
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
                return _token is not null && string.Equals(_givenToken, rules._givenToken, StringComparison.Ordinal) ? _token.Value.Principal : null;
            case PrincipalKind.Application:
                bool same = Asks && Authorize == rules.Authorize && AuthorizeAsync == rules.AuthorizeAsync;
                return !same ? null : before.Access == rules.DefaultAccess ? before with { Access = DefaultAccess } : before;
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

    private Verdict Check(Secret secret, string shown, Principal? principal)
    {
        if (secret.Hash is { } hash)
        {
            byte[] password = Encoding.UTF8.GetBytes(shown);
            return new Verdict(principal, () => _passwords!.Verify(password, hash));
        }

        if (secret.Matches(shown) && principal is not null)
        {
            return new Verdict(principal);
        }

        // A wrong password in clear must not be told from one that is hashed, nor either from an unknown user.
        return _decoy.Hash is null ? default : Check(_decoy, shown, null);
    }

    // The key is the client's own claim, so that verifying takes the same time whether it is known or not.
    private Verdict CheckSignature(string key, string? signature, string? nonce)
    {
        if (nonce is null || !UserKey.TryDecode(key, out byte[]? bytes) || !TryDecodeSignature(signature, out byte[]? signed))
        {
            return default;
        }

        byte[] message = Encoding.ASCII.GetBytes(nonce);
        return new Verdict(_keys.GetValueOrDefault(key), () => _signatures!.Verify(bytes, message, signed));
    }

    // nats-server takes base64url, and base64 from clients that do not know better.
    private static bool TryDecodeSignature(string? text, [NotNullWhen(true)] out byte[]? signature)
    {
        signature = null;
        try
        {
            signature = text is null ? null : Base64Url.IsValid(text) ? Base64Url.DecodeFromChars(text) : Convert.FromBase64String(text);
        }
        catch (FormatException)
        {
            // Not in a form that could be a signature.
        }

        return signature is not null;
    }

    private void Add(User user, string account, AccessRules? access)
    {
        ArgumentNullException.ThrowIfNull(user);
        var principal = new Principal(PrincipalKind.User, user.Name, user.Permissions?.Rules ?? access) { User = user, Account = account };
        if (user.Key is null)
        {
            // Nobody knows the password of a user without one.
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
                $"User '{user.Name}' has a key, and there is no {nameof(BrokerServerOptions.SignatureVerifier)}: use the package Broker.Cryptography.");
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
            : throw new ArgumentException($"'{name}' is to be the user of clients without credentials, and there is no such user.");
    }
}
