namespace Broker.Cli.Progress;

/// <summary>The result of a run.</summary>
/// <param name="ExitCode">The exit code of the process; see <see cref="Progress.ExitCode"/>.</param>
/// <param name="Undelivered">The number of accepted messages that were not delivered.</param>
/// <param name="Problem">The reason why the run could not start or continue, as one line, or null after a stop.</param>
internal sealed record ServeResult(int ExitCode, long Undelivered = 0, string? Problem = null);
