namespace Broker.Cli.Progress;

/// <summary>How a run has ended.</summary>
/// <param name="ExitCode">What the process answers; see <see cref="Progress.ExitCode"/>.</param>
/// <param name="Undelivered">Messages that were accepted and not delivered.</param>
/// <param name="Problem">Why it could not start or go on, as one line; null when it was stopped.</param>
internal sealed record ServeResult(int ExitCode, long Undelivered = 0, string? Problem = null);
