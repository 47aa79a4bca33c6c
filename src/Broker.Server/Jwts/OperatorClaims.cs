namespace Broker.Server;

/// <summary>The claims of an operator that the server uses.</summary>
internal sealed class OperatorClaims
{
    /// <exception cref="JwtException">A claim is wrong.</exception>
    internal OperatorClaims(Jwt jwt)
    {
        Jwt = jwt;
        IsStrict = jwt.Nats.Flag("strict_signing_key_usage");
        SystemAccount = jwt.Nats.Text("system_account") is { Length: > 0 } account ? account : null;
        ServerVersion = jwt.Nats.Text("assert_server_version") is { Length: > 0 } version ? version : null;
        if (SystemAccount is not null && !PublicKey.IsValid(SystemAccount, KeyKind.Account))
        {
            throw jwt.Nats.Wrong("system_account", "is not the key of an account");
        }

        if (ServerVersion is not null && !Version.TryParse(ServerVersion, out _))
        {
            throw jwt.Nats.Wrong("assert_server_version", "is not a version such as 2.9.0");
        }

        IReadOnlyList<string> keys = jwt.Nats.Texts("signing_keys");
        foreach (string key in keys)
        {
            if (!PublicKey.IsValid(key, KeyKind.Operator))
            {
                throw jwt.Nats.Wrong("signing_keys", "contains a text that is not the key of an operator");
            }
        }

        // The operator signs itself; with one of its signing keys too.
        if (!string.Equals(jwt.Issuer, jwt.Subject, StringComparison.Ordinal) && !keys.Contains(jwt.Issuer, StringComparer.Ordinal))
        {
            throw new JwtException("\"iss\" is not a key of this operator");
        }

        Keys = IsStrict ? keys : [jwt.Subject, .. keys];
        jwt.Forget();
    }

    internal Jwt Jwt { get; }

    /// <summary>The keys that may sign accounts.</summary>
    internal IReadOnlyList<string> Keys { get; }

    /// <summary>Whether only signing keys may sign, neither the key of the operator nor those of accounts.</summary>
    internal bool IsStrict { get; }

    /// <summary>The key of the system account; null for none.</summary>
    internal string? SystemAccount { get; }

    /// <summary>The lowest version that a server must have; null for any.</summary>
    internal string? ServerVersion { get; }
}
