using System.CommandLine;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Churn;

/// <summary>
/// The arguments of <c>churn</c>. Exit codes: 0, 1 when something was lost or leaked, 2 when the arguments are wrong.
/// </summary>
internal static class ChurnCommand
{
    private const string All = "all";

    public static Command Create()
    {
        var minutes = new Option<double>("--minutes") { Description = "How long connections open and close. The run first publishes without them for a fifth of this time.", DefaultValueFactory = _ => 5 };
        var rate = new Option<int>("--rate") { Description = "Connections opened per second.", DefaultValueFactory = _ => 100 };
        var on = new Option<string[]>("--on") { Description = $"Servers by name, separated by commas, or {All}.", DefaultValueFactory = _ => [KnownServers.Ours] };
        Option<string[]> servers = ServerOptions.Servers();
        var markdown = new Option<FileInfo?>("--markdown") { Description = "Write the report to this file." };
        minutes.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<double>() is not (> 0 and <= 24 * 60))
            {
                result.AddError("--minutes must be above 0 and at most a day.");
            }
        });
        rate.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<int>() is < 1 or > 10_000)
            {
                result.AddError("--rate must be from 1 to 10000.");
            }
        });

        var command = new Command("churn", "Opens and closes connections while a client publishes at full rate. Detects leaks, lost wake-ups and delays.")
        {
            minutes, rate, on, servers, markdown,
        };
        command.SetAction((result, cancellationToken) =>
        {
            var settings = new ChurnSettings { Duration = TimeSpan.FromMinutes(result.GetValue(minutes)), ConnectionsPerSecond = result.GetValue(rate) };
            return Task.Run(
                () => Run(settings, result.GetValue(on) ?? [], result.GetValue(servers) ?? [], result.GetValue(markdown), cancellationToken),
                CancellationToken.None);
        });
        return command;
    }

    private static int Run(ChurnSettings settings, string[] on, string[] servers, FileInfo? markdown, CancellationToken cancellationToken)
    {
        ServerCommand[] commands;
        try
        {
            commands = Choose(KnownServers.With([.. servers.Select(ServerCommand.Parse)], []), on);
        }
        catch (ArgumentException e)
        {
            Console.Error.WriteLine(e.Message);
            return 2;
        }

        try
        {
            using var resources = new DriverResources();
            List<ChurnOutcome> outcomes = [];
            foreach (ServerCommand command in commands)
            {
                outcomes.Add(new ChurnRun(settings, command, resources, Console.Error).Run(cancellationToken));
            }

            Console.Out.WriteLine();
            Console.Out.Write(ChurnReport.ToText(settings, outcomes));
            if (markdown is not null)
            {
                markdown.Directory?.Create();
                File.WriteAllText(markdown.FullName, ChurnReport.ToMarkdown(settings, outcomes));
            }

            return outcomes.TrueForAll(outcome => outcome.Failures.Count == 0) ? 0 : 1;
        }
        catch (OperationCanceledException)
        {
            Console.Error.WriteLine("The run was stopped, so there is no report.");
            return 1;
        }
    }

    private static ServerCommand[] Choose(IReadOnlyList<ServerCommand> known, string[] on)
    {
        string[] names = [.. on.SelectMany(list => list.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries))];
        if (names.Contains(All, StringComparer.Ordinal))
        {
            return [.. known];
        }

        string? unknown = Array.Find(names, name => !known.Any(command => command.Name == name));
        if (unknown is not null)
        {
            throw new ArgumentException($"No server is named '{unknown}'. The servers are: {string.Join(", ", known.Select(command => command.Name))}.");
        }

        return [.. known.Where(command => names.Contains(command.Name, StringComparer.Ordinal))];
    }
}
