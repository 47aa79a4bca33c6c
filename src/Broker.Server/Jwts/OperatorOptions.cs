namespace Broker.Server;

/// <summary>
/// The operators whose accounts and users the server accepts, as JWTs of NATS (version 2). An operator signs accounts,
/// and an account signs its users; the server needs no list of users. Immutable.
/// </summary>
/// <remarks>
/// No text of this class is secret, but the server never logs a JWT. A server with operators needs
/// <see cref="BrokerServerOptions.SignatureVerifier"/>. It has no other users, accounts, token, default permissions or
/// callback.
/// </remarks>
public sealed class OperatorOptions
{
    /// <summary>The JWTs of the operators.</summary>
    public IReadOnlyList<string> Operators { get; init; } = [];

    /// <summary>The public keys that sign accounts, in place of <see cref="Operators"/>.</summary>
    public IReadOnlyList<string> TrustedKeys { get; init; } = [];

    /// <summary>
    /// The JWTs of accounts, each under the public key of its account. Without a <see cref="Resolver"/>, no other
    /// account exists. A <see cref="DirectoryResolver"/> stores those that are newer than its files.
    /// </summary>
    public IReadOnlyDictionary<string, string> Accounts { get; init; } = new Dictionary<string, string>(StringComparer.Ordinal);

    /// <summary>
    /// The place of further accounts. Null, the default: there are none. It cannot change while the server runs.
    /// </summary>
    public AccountResolver? Resolver { get; init; }

    /// <summary>
    /// The public keys of the only accounts whose users may connect, besides the system account. Empty, the default:
    /// the users of all accounts may.
    /// </summary>
    public IReadOnlyList<string> PinnedAccounts { get; init; } = [];

    /// <summary>The claims of <see cref="Accounts"/>, once they have been read.</summary>
    internal VerifiedAccounts Verified { get; } = new();

    /// <summary>Whether other options have the same JWTs and keys.</summary>
    internal bool IsSameAs(OperatorOptions? other)
        => other is not null && Operators.SequenceEqual(other.Operators, StringComparer.Ordinal)
            && TrustedKeys.SequenceEqual(other.TrustedKeys, StringComparer.Ordinal)
            && (Resolver is null ? other.Resolver is null : Resolver.IsSameAs(other.Resolver))
            && PinnedAccounts.SequenceEqual(other.PinnedAccounts, StringComparer.Ordinal)
            && Accounts.Count == other.Accounts.Count
            && Accounts.All(a => other.Accounts.TryGetValue(a.Key, out string? jwt) && string.Equals(jwt, a.Value, StringComparison.Ordinal));
}
