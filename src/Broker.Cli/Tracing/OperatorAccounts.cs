using Broker.Cli.Auth;
using Broker.Cryptography;
using Broker.Server;

namespace Broker.Cli.Tracing;

/// <summary>Reads accounts from their JWTs. A server that listens nowhere checks the JWTs and their imports.</summary>
internal static class OperatorAccounts
{
    public static async Task<IReadOnlyList<TracedAccount>> ReadAsync(OperatorOptions trusted, string? systemAccount, CancellationToken stop)
    {
        var options = new BrokerServerOptions { Operator = trusted };
        options.UseCryptography();
        if (systemAccount is not null)
        {
            options.SystemAccount = systemAccount;
        }

        await using BrokerServer server = await BrokerServer.StartAsync(options, cancellationToken: stop);
        AccountDescription[] accounts = [.. server.InspectAccounts().Where(account => trusted.Accounts.ContainsKey(account.Name))];
        Dictionary<string, string> names = Names(trusted.Accounts);
        return
        [
            .. accounts.Select(account => new TracedAccount(
                names[account.Name], account.Mappings, [.. account.Imports.Select(import => Import(import, names.GetValueOrDefault(import.Account, import.Account)))])
            {
                Key = account.Name,
            }),
        ];
    }

    // Two accounts may have the same name, and a JWT may have none. The key then is the name.
    private static Dictionary<string, string> Names(IReadOnlyDictionary<string, string> accounts)
    {
        (string Key, string Name)[] all = [.. accounts.Select(static account => (account.Key, Token.Read(account.Value).Name))];
        return all.ToDictionary(
            static account => account.Key,
            account => account.Name.Length > 0 && all.Count(other => other.Name == account.Name) == 1 ? account.Name : account.Key,
            StringComparer.Ordinal);
    }

    private static AccountImport Import(ImportDescription import, string account)
        => import.IsService ? new ServiceImport(account, import.Subject) { To = import.LocalSubject } : new StreamImport(account, import.Subject) { To = import.LocalSubject };
}
