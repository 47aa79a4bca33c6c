using System.CommandLine;
using Broker.Cli.Shell;

namespace Broker.Cli.Servers;

/// <summary>
/// A check for a monitoring system. If its command line is invalid, the exit code is that of an unknown status.
/// </summary>
internal sealed class CheckCommand(string name, string description) : Command(name, description)
{
    /// <summary>Runs the check, and reports each failure as a line for the monitoring system.</summary>
    /// <param name="shell">The streams of the command.</param>
    /// <param name="check">Returns the exit code.</param>
    public void SetCheck(ShellStreams shell, Func<ParseResult, CancellationToken, Task<int>> check)
        => SetAction(async (flags, cancellationToken) =>
        {
            using var signals = new ShellSignals(cancellationToken);
            try
            {
                return await check(flags, signals.Stop);
            }
            catch (OperationCanceledException) when (signals.Stop.IsCancellationRequested)
            {
                return CheckReport.Print(shell, Name, CheckStatus.Unknown, "the check was interrupted");
            }
            catch (Exception e) when (e is UsageException or ArgumentException or FormatException)
            {
                return CheckReport.Print(shell, Name, CheckStatus.Unknown, ErrorText.WithoutParameter(e.Message));
            }
        });
}
