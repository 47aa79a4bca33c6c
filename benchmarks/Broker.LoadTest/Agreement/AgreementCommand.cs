using System.CommandLine;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Runs;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Agreement;

/// <summary>
/// The arguments of <c>agreement</c>. Exit codes: 0; 1 if a ratio is outside the limit, or a server or a driver failed;
/// 2 if the arguments are wrong.
/// </summary>
internal static class AgreementCommand
{
    private const int DefaultRounds = 7;
    private const int DefaultMilliseconds = 300;
    private const int DefaultSessions = 6;

    public static Command Create()
    {
        var rounds = new Option<int>("--rounds") { Description = $"The number of counted rounds. The default is {DefaultRounds}.", DefaultValueFactory = static _ => DefaultRounds };
        var rows = new Option<string?>("--rows") { Description = $"The rows, separated by commas: {string.Join(", ", BenchRow.All.Select(static row => row.Name))}. The default is all." };
        var bench = new Option<FileInfo?>("--bench") { Description = "The program broker whose bench is measured, such as the native file. The default is the one that was built with this program." };
        var time = new Option<int>("--time") { Description = $"How long a session is measured, in milliseconds; broker bench warms up for the same time before. The default is {DefaultMilliseconds}.", DefaultValueFactory = static _ => DefaultMilliseconds };
        var sessions = new Option<int>("--sessions") { Description = $"The number of sessions, each with new connections, whose mean is one rate. The default is {DefaultSessions}.", DefaultValueFactory = static _ => DefaultSessions };
        var within = new Option<double>("--within") { Description = "The exit code is 1 if a ratio differs from 1 by more than this share, such as 0.1. The default is no limit.", DefaultValueFactory = static _ => double.PositiveInfinity };
        RequireAtLeastOne(rounds);
        RequireAtLeastOne(time);
        RequireAtLeastOne(sessions);

        var command = new Command("agreement", "Compares the rates of this program with those of broker bench for the same traffic at this broker, alternately.")
        {
            rounds, rows, bench, time, sessions, within,
        };
        command.SetAction((result, cancellationToken) => Task.Run(
            () => Run(
                result.GetValue(rounds), result.GetValue(rows) ?? "", new BenchProcess(result.GetValue(bench) is { } file ? [file.FullName] : BenchProcess.Built, TimeSpan.FromMilliseconds(result.GetValue(time)), result.GetValue(sessions)),
                result.GetValue(within), cancellationToken),
            CancellationToken.None));
        return command;
    }

    private static void RequireAtLeastOne(Option<int> option) => option.Validators.Add(result =>
    {
        if (result.GetValueOrDefault<int>() < 1)
        {
            result.AddError($"{option.Name} must be at least 1.");
        }
    });

    private static int Run(int rounds, string rowNames, BenchProcess bench, double within, CancellationToken cancellationToken)
    {
        IReadOnlyList<BenchRow> rows;
        try
        {
            rows = BenchRow.Select(rowNames.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries));
        }
        catch (ArgumentException e)
        {
            Console.Error.WriteLine(e.Message);
            return 2;
        }

        try
        {
            using var resources = new DriverResources();
            ServerCommand server = KnownServers.With([], []).Single(static command => command.Name == KnownServers.Ours);
            IReadOnlyList<AgreementOutcome> outcomes = new AgreementRun(rows, rounds, new Settings { Quick = false, Rounds = rounds }, bench, server, resources)
                .Run(Console.Error, cancellationToken);
            Console.Out.Write(AgreementReport.ToText(rounds, outcomes));
            return outcomes.All(outcome => Math.Abs(outcome.Ratio - 1) <= within) ? 0 : 1;
        }
        catch (Exception e) when (Attempts.IsServersFault(e) || e is OperationCanceledException or System.ComponentModel.Win32Exception)
        {
            Console.Error.WriteLine(cancellationToken.IsCancellationRequested ? "The run was stopped, so there is no report." : e.Message);
            return 1;
        }
    }
}
