using Broker.Transport;
using Microsoft.Extensions.Logging;

namespace Broker.Cli.Serving;

/// <summary>
/// Starts the event loops of a host, logs their errors, and tests for a watchdog whether the loops still respond.
/// </summary>
internal static partial class ServeLoops
{
    public static EventLoopGroup Start(EventLoopOptions options, ILogger logger)
        => new(options with { OnFault = error => LoopFailed(logger, error) });

    /// <summary>
    /// Completes when each loop has responded, with false if a loop has ended. Without loops it completes with true.
    /// </summary>
    public static Task<bool> AnswerAsync(EventLoopGroup? loops) => loops?.IsRespondingAsync() ?? Task.FromResult(true);

    [LoggerMessage(207, LogLevel.Error, "an unexpected error in an event loop")]
    private static partial void LoopFailed(ILogger logger, Exception error);
}
