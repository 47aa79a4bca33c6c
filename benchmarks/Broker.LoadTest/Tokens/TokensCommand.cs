using System.CommandLine;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Tokens;

/// <summary>
/// The arguments of <c>tokens</c>. Exit codes: 0, 1 when a forbidden message passed or a server failed, 2 when the
/// arguments are wrong.
/// </summary>
internal static class TokensCommand
{
    public static Command Create()
    {
        var accounts = new Option<int>("--accounts") { Description = "Accounts with a JWT of about 1 KB.", DefaultValueFactory = _ => 10_000 };
        var clients = new Option<int>("--clients") { Description = "Clients that are connected during the updates.", DefaultValueFactory = _ => 1000 };
        var rate = new Option<int>("--rate") { Description = "Account updates per second.", DefaultValueFactory = _ => 100 };
        var seconds = new Option<int>("--seconds") { Description = "How long accounts are updated.", DefaultValueFactory = _ => 60 };
        Option<string[]> servers = ServerOptions.Servers();
        var command = new Command("tokens", "Measures users and accounts by JWTs: a login, the memory of accounts, and updates of accounts while clients work.")
        {
            accounts, clients, rate, seconds, servers,
        };
        foreach (Option<int> option in new[] { accounts, clients, rate, seconds })
        {
            option.Validators.Add(result =>
            {
                if (result.GetValueOrDefault<int>() is < 1 or > 100_000)
                {
                    result.AddError($"{option.Name} must be from 1 to 100000.");
                }
            });
        }

        command.SetAction((result, cancellationToken) => RunAsync(
            new TokensSettings(result.GetValue(accounts), result.GetValue(clients), result.GetValue(rate), TimeSpan.FromSeconds(result.GetValue(seconds))),
            result.GetValue(servers) ?? [],
            cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(TokensSettings settings, string[] servers, CancellationToken cancellationToken)
    {
        IReadOnlyList<ServerCommand> commands;
        try
        {
            commands = KnownServers.With([.. servers.Select(ServerCommand.Parse)], []);
        }
        catch (ArgumentException e)
        {
            await Console.Error.WriteLineAsync(e.Message).ConfigureAwait(false);
            return 2;
        }

        bool isGood = true;
        foreach (ServerCommand command in commands)
        {
            try
            {
                TokensOutcome outcome = await new TokensRun(settings, command).RunAsync(cancellationToken).ConfigureAwait(false);
                await Console.Out.WriteLineAsync(outcome.ToString()).ConfigureAwait(false);
                isGood &= outcome.Forbidden == 0;
            }
            catch (DriverException e)
            {
                await Console.Error.WriteLineAsync($"{command.Name}: {e.Message}").ConfigureAwait(false);
                isGood = false;
            }
        }

        return isGood ? 0 : 1;
    }
}
