namespace Broker.Server;

/// <summary>The service of an account that decides about logins (auth callout).</summary>
internal sealed class AuthorizationClaim
{
    private const string All = "*";

    private AuthorizationClaim(ClaimObject claim, IReadOnlyList<string> users)
    {
        Users = new HashSet<string>(users, StringComparer.Ordinal);
        AllowedAccounts = claim.Texts("allowed_accounts");
        CurveKey = claim.Text("xkey") is { Length: > 0 } key ? key : null;
        if (!users.All(static u => PublicKey.IsValid(u, KeyKind.User)))
        {
            throw claim.Wrong("auth_users", "contains a text that is not the key of a user");
        }

        if (AllowedAccounts is not [All] && !AllowedAccounts.All(static a => PublicKey.IsValid(a, KeyKind.Account)))
        {
            throw claim.Wrong("allowed_accounts", "must be a list of keys of accounts, or [\"*\"]");
        }

        if (CurveKey is not null && !PublicKey.IsValid(CurveKey, KeyKind.Curve))
        {
            throw claim.Wrong("xkey", "is not a public curve key");
        }

        if (users.Count == 0 && (AllowedAccounts.Count > 0 || CurveKey is not null))
        {
            throw claim.Wrong("auth_users", "is missing: without these users, no service decides about logins");
        }
    }

    /// <summary>The users that the service logs in as. The service does not decide about them.</summary>
    internal IReadOnlySet<string> Users { get; }

    /// <summary>The accounts besides its own that the service may choose.</summary>
    internal IReadOnlyList<string> AllowedAccounts { get; }

    /// <summary>The public key of the service for encrypted requests; null for none.</summary>
    internal string? CurveKey { get; }

    /// <summary>Reads the claim; null if the account has no such service.</summary>
    /// <exception cref="JwtException">The claim is wrong.</exception>
    internal static AuthorizationClaim? Read(ClaimObject claim)
    {
        var read = new AuthorizationClaim(claim, claim.Texts("auth_users"));
        return read.Users.Count == 0 ? null : read;
    }

    /// <summary>Whether the service of an account may choose another account.</summary>
    internal bool Allows(string account) => AllowedAccounts is [All] || AllowedAccounts.Contains(account, StringComparer.Ordinal);
}
