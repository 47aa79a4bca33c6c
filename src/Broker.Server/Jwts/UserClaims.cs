namespace Broker.Server;

/// <summary>The claims of a user that the server uses.</summary>
internal sealed class UserClaims
{
    /// <param name="jwt">The JWT.</param>
    /// <param name="isAnswered">
    /// Whether an auth callout service has made it for one login. A missing limit is then no limit.
    /// </param>
    /// <exception cref="JwtException">A claim is wrong.</exception>
    internal UserClaims(Jwt jwt, bool isAnswered = false)
    {
        Jwt = jwt;
        Terms = new UserTerms(jwt.Nats, isAnswered);
        Tags = jwt.Nats.Texts("tags", maySplit: true);
        string? account = jwt.Nats.Text("issuer_account");
        if (!string.IsNullOrEmpty(account) && !PublicKey.IsValid(account, KeyKind.Account))
        {
            throw jwt.Nats.Wrong("issuer_account", "is not the key of an account");
        }

        Account = string.IsNullOrEmpty(account) ? jwt.Issuer : account;
        jwt.Forget();
    }

    internal Jwt Jwt { get; }

    /// <summary>The key of the account that the user is in.</summary>
    internal string Account { get; }

    /// <summary>The user's own permissions and limits.</summary>
    internal UserTerms Terms { get; }

    internal IReadOnlyList<string> Tags { get; }
}
