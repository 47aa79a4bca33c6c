using System.CommandLine;
using Broker.LoadTest.Agreement;
using Broker.LoadTest.Churn;
using Broker.LoadTest.Clients;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Report;
using Broker.LoadTest.Rows;
using Broker.LoadTest.Runs;
using Broker.LoadTest.Scale;
using Broker.LoadTest.Servers;
using Broker.LoadTest.SlowReaders;
using Broker.LoadTest.Soak;
using Broker.LoadTest.Tokens;

namespace Broker.LoadTest;

/// <summary>
/// The command line. Exit codes: 0; 1 if a server did not start or sent wrong bytes or counts; 2 if the arguments are
/// wrong. A reader that a server disconnected is reported as LOST and is not a failure, because the slow-consumer
/// policy is the server's choice.
/// </summary>
internal static class CommandLine
{
    private const int DefaultRounds = 7;
    private const int QuickRounds = 3;

    public static RootCommand Create()
    {
        var quick = new Option<bool>("--quick") { Description = $"Short measurements and {QuickRounds} rounds: under 90 seconds for two servers and the basic rows." };
        var cold = new Option<bool>("--cold") { Description = "Also measure the basic and tls rows in the first second of a new process." };
        var rounds = new Option<int?>("--rounds") { Description = $"The number of counted rounds. The default is {DefaultRounds}." };
        var rowNames = new Option<string[]>("--rows")
        {
            Description = $"Groups or rows by name, separated by commas; * stands for anything. --list shows all names. The groups are "
                + $"{string.Join(", ", Catalogue.Groups.Select(static group => group.Name))}, and {Catalogue.Everything}. The default is {Catalogue.Groups[0].Name}.",
        };
        var list = new Option<bool>("--list") { Description = "List the groups with their rows, and end." };
        Option<string[]> servers = ServerOptions.Servers();
        var portable = new Option<bool>("--portable") { Description = $"Also measure this broker with the poller of Windows and macOS, as the server {KnownServers.Portable}." };
        var pages = new Option<int>("--pages") { Description = $"Also measure this broker with this number of open live pages and sampled subjects, as the server {KnownServers.Watched}." };
        var markdown = new Option<FileInfo?>("--markdown") { Description = "Write the report to this file." };
        var csv = new Option<FileInfo?>("--csv") { Description = "Write every measurement to this file." };
        var picture = new Option<FileInfo?>("--picture") { Description = "Draw the ratios into this file, as SVG." };
        var curves = new Option<FileInfo?>("--curves") { Description = "Draw the growth of the scaling and fanout rows into this file, as SVG." };
        rounds.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<int?>() is < 1)
            {
                result.AddError("--rounds must be at least 1.");
            }
        });

        pages.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<int>() is < 0 or > 128)
            {
                result.AddError("--pages must be a number from 0 to 128.");
            }
        });

        var command = new RootCommand("Runs the same traffic alternately through this broker and nats-server, and prints the ratios.")
        {
            quick, cold, rounds, rowNames, list, servers, portable, pages, markdown, csv, picture, curves,
        };
        command.Subcommands.Add(AgreementCommand.Create());
        command.Subcommands.Add(ChurnCommand.Create());
        command.Subcommands.Add(TokensCommand.Create());
        command.Subcommands.Add(ClientProcessCommand.Create());
        command.Subcommands.Add(ClientsCommand.Create());
        command.Subcommands.Add(HostCommand.Create());
        command.Subcommands.Add(ReaderCommand.Create());
        command.Subcommands.Add(ScaleCommand.Create());
        command.Subcommands.Add(SlowReadersCommand.Create());
        command.Subcommands.Add(SoakCommand.Create());
        command.SetAction((result, cancellationToken) =>
        {
            if (result.GetValue(list))
            {
                Catalogue.Write(result.InvocationConfiguration.Output);
                return Task.FromResult(0);
            }

            bool isQuick = result.GetValue(quick);
            var settings = new Settings { Quick = isQuick, Rounds = result.GetValue(rounds) ?? (isQuick ? QuickRounds : DefaultRounds) };
            Settings[] states = result.GetValue(cold) ? [settings, settings with { Cold = true }] : [settings];
            IReadOnlyList<ServerCommand> Servers(List<string> notes) => KnownServers.With(
                [.. (result.GetValue(servers) ?? []).Select(ServerCommand.Parse)], notes, result.GetValue(portable), result.GetValue(pages));
            var outputs = new Outputs(result.GetValue(markdown), result.GetValue(csv), result.GetValue(picture), result.GetValue(curves));

            // Run on another thread, because Ctrl+C is handled only after this call has returned.
            return Task.Run(() => Run(states, result.GetValue(rowNames) ?? [], Servers, outputs, cancellationToken), CancellationToken.None);
        });
        return command;
    }

    private static int Run(
        Settings[] states, string[] rowNames, Func<List<string>, IReadOnlyList<ServerCommand>> servers, Outputs outputs, CancellationToken cancellationToken)
    {
        IReadOnlyList<Row> rows;
        IReadOnlyList<ServerCommand> commands;
        List<string> notes = [];
        try
        {
            rows = Catalogue.Select([.. rowNames.SelectMany(names => names.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries))]);
            commands = servers(notes);
        }
        catch (ArgumentException e)
        {
            Console.Error.WriteLine(e.Message);
            return 2;
        }

#if DEBUG
        notes.Add("this program and its broker are Debug builds, so the figures are useless. Use -c Release.");
#endif
        foreach (string note in notes)
        {
            Console.Error.WriteLine($"note: {note}");
        }

        try
        {
            using var resources = new DriverResources();
            List<Results> parts = [];
            foreach (Settings settings in states)
            {
                Row[] chosen = [.. rows.Where(row => !settings.Cold || row.InMainTable)];
                if (chosen.Length > 0)
                {
                    parts.Add(new LoadRun(settings, chosen, commands, resources, Console.Error).Run(cancellationToken));
                }
            }

            parts[0].Notes.AddRange(notes);
            outputs.Write(parts);
            return parts.TrueForAll(part => part.Failures.Count == 0) ? 0 : 1;
        }
        catch (OperationCanceledException)
        {
            Console.Error.WriteLine("The run was stopped, so there is no report.");
            return 1;
        }
    }
}
