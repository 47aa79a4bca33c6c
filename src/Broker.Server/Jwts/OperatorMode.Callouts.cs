using System.Net;

namespace Broker.Server;

// Logins that the service of an account decides about.
internal sealed partial class OperatorMode
{
    /// <summary>Finds the service of an account; returns null if the server has no keys to sign requests.</summary>
    internal Func<AccountClaims, IAuthCallout?>? Callouts { get; set; }

    /// <summary>Whether a key is the key of an account, or a signing key without a template.</summary>
    internal bool IsKeyOf(string account, string key)
        => _accounts.TryGetValue(account, out AccountClaims? claims)
            && (string.Equals(account, key, StringComparison.Ordinal) ? !_operators.IsStrict(claims.Jwt) : claims.FindKey(key) is { Template: null });

    /// <summary>Checks the user that the service of an account has chosen for a client.</summary>
    /// <param name="jwt">The JWT of the user, whose signature has been verified.</param>
    /// <param name="service">The account of the service.</param>
    /// <param name="name">The name of the client if the JWT has none.</param>
    /// <param name="from">The address of the client.</param>
    /// <param name="transport">The transport of the client.</param>
    /// <exception cref="JwtException">A claim is wrong.</exception>
    internal Verdict CheckAnswered(Jwt jwt, string service, string? name, EndPoint? from, ClientTransport transport)
    {
        var user = new UserClaims(jwt, isAnswered: true);
        bool isOwn = string.Equals(user.Account, service, StringComparison.Ordinal);
        if (!isOwn && (!_accounts.TryGetValue(service, out AccountClaims? claims) || claims.Authorization?.Allows(user.Account) != true))
        {
            return new Verdict(null, null, $"account {user.Account} is not an allowed account");
        }

        if (Loader is not null && !IsInUse(user.Account))
        {
            return new Verdict(null, null, $"account {user.Account} is unknown", (out Task found) => Loader.TryBegin(user.Account, out found));
        }

        (Principal? principal, string? reason, _) = Admit(user, new UserGrant(user, from, transport), null);
        return principal is null ? new Verdict(null, null, reason) : new Verdict(principal with { Name = jwt.Name.Length > 0 ? jwt.Name : name ?? principal.Name });
    }

    // A client that has shown who it is, and about which the service of its account decides.
    private Verdict Entrust(AccountClaims account, Principal principal)
        => Callouts?.Invoke(account) is { } service
            ? new Verdict(null, null, null, null, service)
            : new Verdict(null, null, $"user {principal.Name} is refused: a service decides about the users of its account, but the server has no keys to sign requests");
}
