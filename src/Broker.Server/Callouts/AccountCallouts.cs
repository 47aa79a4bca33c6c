using System.Collections.Concurrent;

namespace Broker.Server;

/// <summary>The services of accounts of operators that decide about logins. Thread-safe.</summary>
/// <param name="server">The parts of the server that they use; null if the server has no keys.</param>
/// <param name="accounts">Finds the account with a name.</param>
/// <param name="operators">The present claims of all accounts.</param>
internal sealed class AccountCallouts(Func<CalloutServer?> server, Func<string, Account?> accounts, Func<OperatorMode?> operators) : IDisposable
{
    private readonly ConcurrentDictionary<string, (Account Account, AuthCallout Service)> _services = new(StringComparer.Ordinal);
    private readonly Lock _gate = new();

    /// <summary>
    /// Returns the service of an account, which is the same as before as long as its claim and the account are the
    /// same. Returns null if the server has no keys to sign requests.
    /// </summary>
    internal IAuthCallout? Of(AccountClaims claims)
    {
        AuthorizationClaim claim = claims.Authorization!;
        var options = new AuthCalloutOptions
        {
            Issuer = claims.Key,
            Account = claims.Key,
            Users = [.. claim.Users.Order(StringComparer.Ordinal)],
            CurveKey = claim.CurveKey,
            AllowedAccounts = claim.AllowedAccounts,
        };
        Account? account = accounts(claims.Key);
        if (Known(account, options) is { } known)
        {
            return known;
        }

        lock (_gate)
        {
            // Another login may have created it meanwhile.
            if (Known(account, options) is { } created)
            {
                return created;
            }

            if (account is null || server() is not { } parts)
            {
                return null;
            }

            Retire(claims.Key);
            var service = new AuthCallout(options, parts, operators);
            _services[claims.Key] = (account, service);
            return service;
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            foreach ((_, AuthCallout service) in _services.Values)
            {
                service.Dispose();
            }
        }
    }

    private AuthCallout? Known(Account? account, AuthCalloutOptions options)
        => _services.TryGetValue(options.Account, out (Account Account, AuthCallout Service) known)
            && known.Account == account && known.Service.Options.IsSameAs(options) ? known.Service : null;

    // Ends the earlier service of an account, and those of accounts that no longer exist.
    private void Retire(string key)
    {
        foreach ((string name, (Account account, AuthCallout service)) in _services)
        {
            if (string.Equals(name, key, StringComparison.Ordinal) || accounts(name) != account)
            {
                service.Dispose();
                _services.TryRemove(name, out _);
            }
        }
    }
}
