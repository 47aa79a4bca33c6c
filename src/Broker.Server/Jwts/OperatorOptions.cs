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

    /// <summary>The JWTs of the accounts, each under the public key of its account. No other account exists.</summary>
    public IReadOnlyDictionary<string, string> Accounts { get; init; } = new Dictionary<string, string>(StringComparer.Ordinal);

    /// <summary>Whether other options have the same JWTs and keys.</summary>
    internal bool IsSameAs(OperatorOptions? other)
        => other is not null && Operators.SequenceEqual(other.Operators, StringComparer.Ordinal)
            && TrustedKeys.SequenceEqual(other.TrustedKeys, StringComparer.Ordinal)
            && Accounts.Count == other.Accounts.Count
            && Accounts.All(a => other.Accounts.TryGetValue(a.Key, out string? jwt) && string.Equals(jwt, a.Value, StringComparison.Ordinal));
}
