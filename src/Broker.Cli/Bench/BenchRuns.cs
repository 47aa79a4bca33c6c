using System.Globalization;
using Broker.Cli.Shell;

namespace Broker.Cli.Bench;

/// <summary>Measures in rounds, reports each result, and returns the exit code.</summary>
internal sealed class BenchRuns(ShellStreams shell, BenchSettings settings)
{
    /// <param name="outputs">The files and formats of the results.</param>
    /// <param name="servers">The servers that are measured in turn; null is the first one.</param>
    /// <param name="create">Creates the traffic with a server.</param>
    /// <param name="stop">Ends the command without a further result.</param>
    public async Task<int> MeasureAsync(
        BenchOutputs outputs, IReadOnlyList<string?> servers, Func<string?, IBenchTraffic> create, CancellationToken stop)
    {
        using var report = BenchReport.Create(shell, settings, outputs);
        long lost = 0;
        for (int round = 1; round <= settings.Rounds; round++)
        {
            foreach (string? server in servers)
            {
                BenchResult result = await MeasureAsync(create(server), round, stop);
                lost += result.Lost;
                report.Add(result);
            }
        }

        report.End();
        if (lost == 0)
        {
            return ExitCode.Success;
        }

        shell.Complain(string.Create(CultureInfo.InvariantCulture, $"{lost:N0} messages were lost"));
        return ExitCode.Undelivered;
    }

    private async Task<BenchResult> MeasureAsync(IBenchTraffic traffic, int round, CancellationToken stop)
    {
        await using var measured = new BenchRound(settings, traffic);
        string of = settings.Rounds > 1 ? string.Create(CultureInfo.InvariantCulture, $"round {round} of {settings.Rounds}: ") : "";
        await using (shell.ShowProgress(() => string.Create(CultureInfo.InvariantCulture, $"{of}{measured.Messages:N0} messages")))
        {
            return await measured.MeasureAsync(round, stop);
        }
    }
}
