using System.CommandLine;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Clients;

/// <summary>
/// The arguments of <c>clients</c>. Exit codes: 0; 1 if a server or a client failed; 2 if the arguments are wrong.
/// </summary>
internal static class ClientsCommand
{
    private const int DefaultRounds = 7;
    private const int QuickRounds = 3;

    public static Command Create()
    {
        var quick = new Option<bool>("--quick") { Description = $"Few messages and {QuickRounds} rounds." };
        var rounds = new Option<int?>("--rounds") { Description = $"The number of counted rounds. The default is {DefaultRounds}." };
        var rows = new Option<string?>("--rows") { Description = $"The rows, separated by commas: {string.Join(", ", ClientRow.All.Select(static row => row.Name))}. The default is all." };
        Option<string[]> servers = ServerOptions.Servers();
        var markdown = new Option<FileInfo?>("--markdown") { Description = "Write the report to this file." };
        rounds.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<int?>() is < 1)
            {
                result.AddError("--rounds must be at least 1.");
            }
        });

        var command = new Command("clients", "Compares this project's client with NATS.Net: publish, receive and request at the same servers, alternately, each client in a process of its own.")
        {
            quick, rounds, rows, servers, markdown,
        };
        command.SetAction((result, cancellationToken) =>
        {
            bool isQuick = result.GetValue(quick);
            int count = result.GetValue(rounds) ?? (isQuick ? QuickRounds : DefaultRounds);
            return Task.Run(
                () => Run(isQuick, count, result.GetValue(rows) ?? "", result.GetValue(servers) ?? [], result.GetValue(markdown), cancellationToken), CancellationToken.None);
        });
        return command;
    }

    private static int Run(bool quick, int rounds, string rowNames, string[] servers, FileInfo? markdown, CancellationToken cancellationToken)
    {
        IReadOnlyList<ServerCommand> commands;
        IReadOnlyList<ClientRow> rows;
        try
        {
            commands = KnownServers.With([.. servers.Select(ServerCommand.Parse)], []);
            rows = ClientRow.Select(rowNames.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries));
        }
        catch (ArgumentException e)
        {
            Console.Error.WriteLine(e.Message);
            return 2;
        }

        try
        {
            using var resources = new DriverResources();
            var run = new ClientsRun(quick ? [.. rows.Select(static row => row.Quick())] : rows, rounds, commands, resources);
            IReadOnlyList<ClientOutcome> outcomes = run.Run(Console.Error, cancellationToken);
            Console.Out.WriteLine();
            Console.Out.Write(ClientsReport.ToText(rounds, outcomes));
            if (markdown is not null)
            {
                markdown.Directory?.Create();
                File.WriteAllText(markdown.FullName, ClientsReport.ToMarkdown(rounds, outcomes));
            }

            return 0;
        }
        catch (Exception e) when (e is DriverException or OperationCanceledException)
        {
            Console.Error.WriteLine(cancellationToken.IsCancellationRequested ? "The run was stopped, so there is no report." : e.Message);
            return 1;
        }
    }
}
