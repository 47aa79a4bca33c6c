using System.CommandLine;
using System.Globalization;
using Broker.Cli.Help;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Cli.Top;

namespace Broker.Cli.Servers;

/// <summary><c>broker server report</c>: tables of a running server for scripts and people.</summary>
internal sealed class ReportCommands(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker server report connections
          broker server report routes --json
          broker server report accounts

        The server needs a monitoring port (broker serve -m 8222). Exit codes: 0; 1 if the pages cannot be read; 2 if the
        command line is wrong.
        """;

    private readonly MonitoringFlags _monitoring = new();
    private readonly Option<bool> _json = new("--json") { Description = "Print each account as a JSON object on one line" };

    public Command Build()
    {
        var command = new Command("report", "Prints a table of a running NATS server: connections, routes or accounts.");
        command.Subcommands.Add(Rates("connections", "Prints the connections with their rates in one interval.", showsRoutes: false));
        command.Subcommands.Add(Rates("routes", "Prints the routes of the ZeroMQ bridge with their rates in one interval.", showsRoutes: true));
        command.Subcommands.Add(Accounts());
        HelpWithExamples.Add(command, Examples);
        command.SetAction(_ =>
        {
            shell.Complain("the report is missing: broker server report connections, routes or accounts");
            return ExitCode.Usage;
        });
        return command;
    }

    private Command Rates(string name, string what, bool showsRoutes)
    {
        var command = new Command(name, what);
        var flags = new TopFlags(reports: showsRoutes ? "routes" : "connections");
        flags.AddTo(command);
        HelpWithExamples.Add(command, $"""
            Examples:
              broker server report {name}
              broker server report {name} --interval 2s --json
            """);
        command.SetAction((given, cancellationToken) => RunAsync(
            async stop =>
            {
                TopSettings settings = flags.Read(given);
                using MonitoringReader reader = flags.Monitoring.Open(given);
                return await new TopRun(reader, settings, TimeProvider.System).RunAsync(new PrintedView(shell), stop);
            },
            cancellationToken));
        return command;
    }

    private Command Accounts()
    {
        var command = new Command("accounts", "Prints the accounts with their connections and all messages since the start.");
        _monitoring.AddTo(command);
        command.Options.Add(_json);
        HelpWithExamples.Add(command, """
            Examples:
              broker server report accounts
              broker server report accounts --json
            """);
        command.SetAction((given, cancellationToken) => RunAsync(stop => PrintAccountsAsync(given, stop), cancellationToken));
        return command;
    }

    private async Task<int> PrintAccountsAsync(ParseResult given, CancellationToken stop)
    {
        using MonitoringReader reader = _monitoring.Open(given);
        AccountsPage page = await reader.FindAsync("accstatz?unused=1", AccountsSerializer.Default.AccountsPage, stop)
            ?? throw new IOException("the server has no page /accstatz, which the report needs");
        AccountsPage.Account[] accounts = [.. (page.AccountStatz ?? []).OrderBy(static account => account.Acc, StringComparer.Ordinal)];
        if (given.GetValue(_json))
        {
            var lines = new LineOutput(shell);
            foreach (AccountsPage.Account account in accounts)
            {
                lines.WriteJson(json => Write(json, account));
                lines.EndLine();
            }

            lines.Flush();
            return ExitCode.Success;
        }

        var table = new TextTable(texts: 1, "account", "connections", "leaf nodes", "messages in", "bytes in", "messages out", "bytes out");
        foreach (AccountsPage.Account account in accounts)
        {
            table.Add(
                account.Acc ?? "", Text(account.Conns), Text(account.Leafnodes), Text(account.Received.Msgs), Text(account.Received.Bytes),
                Text(account.Sent.Msgs), Text(account.Sent.Bytes));
        }

        table.WriteTo(shell);
        return ExitCode.Success;
    }

    private static void Write(System.Text.Json.Utf8JsonWriter json, AccountsPage.Account account)
    {
        json.WriteStartObject();
        json.WriteString("account", account.Acc);
        json.WriteNumber("connections", account.Conns);
        json.WriteNumber("leaf_nodes", account.Leafnodes);
        json.WriteNumber("messages_in", account.Received.Msgs);
        json.WriteNumber("bytes_in", account.Received.Bytes);
        json.WriteNumber("messages_out", account.Sent.Msgs);
        json.WriteNumber("bytes_out", account.Sent.Bytes);
        json.WriteEndObject();
    }

    private static string Text(long number) => number.ToString("N0", CultureInfo.InvariantCulture);

    private async Task<int> RunAsync(Func<CancellationToken, Task<int>> work, CancellationToken cancellationToken)
    {
        try
        {
            using var signals = new ShellSignals(cancellationToken);
            return await work(signals.Stop);
        }
        catch (UsageException e)
        {
            shell.Complain(e.Message);
            return ExitCode.Usage;
        }
        catch (IOException e)
        {
            shell.Complain(e.Message);
            return ExitCode.Failure;
        }
    }
}
