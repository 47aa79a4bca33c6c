using System.CommandLine;
using Broker.LoadTest.Report;
using Broker.LoadTest.Rows;
using Broker.LoadTest.Runs;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest;

/// <summary>
/// The arguments, and what is done with them. Exit codes: 0, 1 when a server did not start or got bytes or counts wrong,
/// 2 when the arguments are wrong. A reader that a server cut off is reported as LOST and is not a failure: the server's
/// slow-consumer policy is its own.
/// </summary>
internal static class CommandLine
{
    private const int DefaultRounds = 7;
    private const int QuickRounds = 3;

    public static RootCommand Create()
    {
        var quick = new Option<bool>("--quick") { Description = $"Short measurements and {QuickRounds} rounds: under 90 seconds for two servers and all rows." };
        var cold = new Option<bool>("--cold") { Description = "Start a fresh process for every measurement and measure its first second." };
        var rounds = new Option<int?>("--rounds") { Description = $"Counted rounds; {DefaultRounds} unless given." };
        var rowNames = new Option<string[]>("--rows") { Description = "Rows by name, separated by commas; * stands for anything. All unless given: " + string.Join(", ", Catalogue.All.Select(row => row.Name)) + "." };
        var servers = new Option<string[]>("--server") { Description = "A server as name=command, {port} in the command is its port. Adds to broker and nats-server, or replaces the one of that name." };
        var markdown = new Option<FileInfo?>("--markdown") { Description = "Write the report to this file." };
        var csv = new Option<FileInfo?>("--csv") { Description = "Write every measurement to this file." };
        rounds.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<int?>() is < 1)
                result.AddError("--rounds must be at least 1.");
        });

        var command = new RootCommand("Runs the same traffic through this broker and nats-server in turn and prints the ratios.")
        {
            quick, cold, rounds, rowNames, servers, markdown, csv,
        };
        command.SetAction((result, cancellationToken) =>
        {
            bool isQuick = result.GetValue(quick);
            var settings = new Settings
            {
                Quick = isQuick,
                Cold = result.GetValue(cold),
                Rounds = result.GetValue(rounds) ?? (isQuick ? QuickRounds : DefaultRounds),
            };

            // On another thread: Ctrl+C is listened for only once this has returned.
            return Task.Run(
                () => Run(settings, result.GetValue(rowNames) ?? [], result.GetValue(servers) ?? [], result.GetValue(markdown), result.GetValue(csv), cancellationToken),
                CancellationToken.None);
        });
        return command;
    }

    private static int Run(Settings settings, string[] rowNames, string[] servers, FileInfo? markdown, FileInfo? csv, CancellationToken cancellationToken)
    {
        IReadOnlyList<Row> rows;
        IReadOnlyList<ServerCommand> commands;
        List<string> notes = [];
        try
        {
            rows = Catalogue.Select([.. rowNames.SelectMany(names => names.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries))]);
            commands = KnownServers.With([.. servers.Select(ServerCommand.Parse)], notes);
        }
        catch (ArgumentException e)
        {
            Console.Error.WriteLine(e.Message);
            return 2;
        }

#if DEBUG
        notes.Add("this is a Debug build, and so is the broker: its figures mean nothing. Use -c Release.");
#endif
        foreach (string note in notes)
            Console.Error.WriteLine($"note: {note}");
        try
        {
            Results results = new LoadRun(settings, rows, commands, Console.Error).Run(cancellationToken);
            results.Notes.AddRange(notes);
            Console.Out.WriteLine();
            Console.Out.Write(Summary.ToText(results));
            Write(markdown, Summary.ToMarkdown(results));
            Write(csv, Csv.Build(results));
            return results.Failures.Count == 0 ? 0 : 1;
        }
        catch (OperationCanceledException)
        {
            Console.Error.WriteLine("Stopped before the end: no report.");
            return 1;
        }
    }

    private static void Write(FileInfo? file, string text)
    {
        if (file is null)
            return;
        file.Directory?.Create();
        File.WriteAllText(file.FullName, text);
    }
}
