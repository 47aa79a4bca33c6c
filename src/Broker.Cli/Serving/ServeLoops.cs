using Broker.Hosting;
using Broker.Transport;
using Microsoft.Extensions.Logging;

namespace Broker.Cli.Serving;

/// <summary>The event loops of a host: a fault of theirs is logged, and a watchdog hears whether they turn.</summary>
internal static partial class ServeLoops
{
    public static EventLoopGroup Start(EventLoopOptions options, ILogger logger) => new(options with { OnFault = error => LoopFailed(logger, error) });

    /// <summary>Completes when each of them has answered, with false when one has ended. Before there are any nothing hangs.</summary>
    public static Task<bool> AnswerAsync(EventLoopGroup? loops) => loops is null ? Task.FromResult(true) : LoopAnswers.AllAsync(loops, CancellationToken.None);

    [LoggerMessage(207, LogLevel.Error, "an event loop met a fault")]
    private static partial void LoopFailed(ILogger logger, Exception error);
}
