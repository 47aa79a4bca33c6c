namespace Broker.Server;

/// <summary>
/// A service that decides which clients may connect (auth callout, ADR-26 of NATS). The service is a client of the
/// server: it answers requests to the subject <c>$SYS.REQ.USER.AUTH</c> with the JWT of a user. Immutable.
/// </summary>
/// <remarks>
/// Configured users are checked by the server and never go to the service. A login that the service does not answer in
/// <see cref="BrokerServerOptions.AuthTimeout"/>, or with a wrong answer, is refused. A server with an auth callout
/// needs <see cref="BrokerServerOptions.SignatureVerifier"/> and <see cref="BrokerServerOptions.CreateServerKeys"/>.
/// </remarks>
public sealed class AuthCalloutOptions
{
    /// <summary>The public key that signs the answers of the service: 56 characters that begin with <c>A</c>.</summary>
    public required string Issuer { get; init; }

    /// <summary>The account of the service. Default: the global account.</summary>
    public string Account { get; init; } = AccountNames.Global;

    /// <summary>
    /// The names, or the keys, of the configured users that the service logs in as. They must be users of
    /// <see cref="Account"/>.
    /// </summary>
    public required IReadOnlyList<string> Users { get; init; }

    /// <summary>
    /// The public key of the service, which begins with <c>X</c>; the server encrypts its requests with it. Null, the
    /// default: requests are not encrypted, and every client of <see cref="Account"/> that may subscribe to their
    /// subject sees passwords.
    /// </summary>
    public string? CurveKey { get; init; }

    /// <summary>The accounts that the service may choose for clients. Empty, the default: all accounts.</summary>
    public IReadOnlyList<string> AllowedAccounts { get; init; } = [];

    /// <summary>Whether other options have the same values.</summary>
    internal bool IsSameAs(AuthCalloutOptions? other)
        => other is not null
            && string.Equals(Issuer, other.Issuer, StringComparison.Ordinal)
            && string.Equals(Account, other.Account, StringComparison.Ordinal)
            && string.Equals(CurveKey, other.CurveKey, StringComparison.Ordinal)
            && Users.SequenceEqual(other.Users, StringComparer.Ordinal)
            && AllowedAccounts.SequenceEqual(other.AllowedAccounts, StringComparer.Ordinal);

    /// <exception cref="ArgumentException">A value is not valid.</exception>
    internal void Validate(IEnumerable<UserGroup> groups)
    {
        if (!PublicKey.IsValid(Issuer, KeyKind.Account))
        {
            throw new ArgumentException($"{nameof(Issuer)} of the auth callout is not the public key of an account: 56 characters that begin with 'A'.");
        }

        if (CurveKey is not null && !PublicKey.IsValid(CurveKey, KeyKind.Curve))
        {
            throw new ArgumentException($"{nameof(CurveKey)} of the auth callout is not a public curve key: 56 characters that begin with 'X'.");
        }

        UserGroup[] all = [.. groups];
        foreach (string account in AllowedAccounts.Append(Account))
        {
            if (!Array.Exists(all, g => string.Equals(g.Account, account, StringComparison.Ordinal)))
            {
                throw new ArgumentException($"The auth callout names the account '{account}', but there is no such account.");
            }
        }

        if (Users.Count == 0)
        {
            throw new ArgumentException($"The auth callout needs {nameof(Users)}: the users that its service logs in as.");
        }

        UserGroup own = Array.Find(all, g => string.Equals(g.Account, Account, StringComparison.Ordinal))!;
        foreach (string user in Users)
        {
            if (!own.Users.Any(u => string.Equals(u.Name, user, StringComparison.Ordinal)))
            {
                throw new ArgumentException($"The auth callout names the user '{user}', but account '{Account}' has no such user.");
            }
        }
    }
}
