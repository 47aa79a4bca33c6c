namespace Broker.Server;

/// <summary>The keys that may sign accounts.</summary>
internal sealed class TrustedOperators
{
    // Key: a key that may sign accounts. Value: whether its operator is strict about signing keys.
    private readonly Dictionary<string, bool> _keys = new(StringComparer.Ordinal);

    /// <exception cref="ArgumentException">A JWT or a key is refused; the message names it and the reason.</exception>
    internal TrustedOperators(OperatorOptions options, ISignatureVerifier verifier)
    {
        if (options.Operators.Count > 0 && options.TrustedKeys.Count > 0)
        {
            throw new ArgumentException("Operators and trusted keys cannot be combined.");
        }

        foreach (string text in options.Operators)
        {
            Add(text, verifier);
        }

        foreach (string key in options.TrustedKeys)
        {
            if (!PublicKey.IsValid(key, KeyKind.Operator))
            {
                throw new ArgumentException("A trusted key is not the public key of an operator: 56 characters that begin with 'O'.");
            }

            _keys[key] = false;
        }

        if (_keys.Count == 0)
        {
            throw new ArgumentException("There is no operator whose key may sign accounts.");
        }
    }

    /// <summary>The system account of the first operator that has one; null for none.</summary>
    internal string? SystemAccount { get; private set; }

    /// <summary>Why this account is not trusted; null if it is.</summary>
    internal string? WhyNot(Jwt account)
        => _keys.ContainsKey(account.Issuer) ? null : "\"iss\" is not a key of an operator of this server";

    /// <summary>Whether only signing keys of this account may sign its users, and not its own key.</summary>
    internal bool IsStrict(Jwt account) => _keys.GetValueOrDefault(account.Issuer);

    private void Add(string text, ISignatureVerifier verifier)
    {
        if (!Jwt.TryRead(text, JwtKind.Operator, verifier, out Jwt? jwt, out string? reason))
        {
            throw new ArgumentException($"The JWT of an operator is refused: {reason}.");
        }

        OperatorClaims claims;
        try
        {
            claims = new OperatorClaims(jwt);
        }
        catch (JwtException e)
        {
            throw new ArgumentException($"The JWT of operator {jwt.Subject} is refused: {e.Message}.", e);
        }

        if (claims.ServerVersion is { } version && Version.Parse(version) > Version.Parse(ServerIdentity.ProtocolVersion))
        {
            throw new ArgumentException(
                $"Operator {jwt.Subject} asserts that the server has at least version {version} of nats-server, but this "
                + $"server corresponds to {ServerIdentity.ProtocolVersion}.");
        }

        foreach (string key in claims.Keys)
        {
            _keys[key] = claims.IsStrict;
        }

        SystemAccount ??= claims.SystemAccount;
    }
}
