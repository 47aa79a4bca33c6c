using Microsoft.Extensions.Logging;

namespace Broker.Bridge;

/// <summary>What the bridge writes to its log about its NATS side.</summary>
internal sealed partial class BridgeLog(ILogger logger)
{
    private readonly ILogger _logger = logger;

    [LoggerMessage(108, LogLevel.Warning, "The bridge has lost its NATS server: {Reason}; nothing is bridged until it is back")]
    internal partial void ServerLost(string reason);

    [LoggerMessage(109, LogLevel.Information, "The bridge has a NATS server: {Server}")]
    internal partial void ServerBack(string? server);

    [LoggerMessage(110, LogLevel.Warning, "The NATS server says: {Text}")]
    internal partial void ServerError(string text);

    [LoggerMessage(111, LogLevel.Error, "The bridge met a fault of its own")]
    internal partial void Fault(Exception error);

    [LoggerMessage(112, LogLevel.Debug, "The NATS server says again: {Text}")]
    internal partial void ServerErrorAgain(string text);

    [LoggerMessage(114, LogLevel.Error, "The bridge has lost its NATS server for good; nothing is bridged any more")]
    internal partial void ServerGone();

    [LoggerMessage(117, LogLevel.Warning, "The bridge has no NATS server: {Reason}; nothing is bridged until it has one")]
    internal partial void ServerAbsent(string reason);

    [LoggerMessage(122, LogLevel.Warning,
        "Out of file descriptors: of {Limit} that this process may have open too few are left, and new connections are closed at once")]
    internal partial void OutOfFiles(long? limit);
}
