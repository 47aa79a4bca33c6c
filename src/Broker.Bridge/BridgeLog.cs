using Microsoft.Extensions.Logging;

namespace Broker.Bridge;

/// <summary>The log messages of the bridge about its connection to the NATS server.</summary>
internal sealed partial class BridgeLog(ILogger logger)
{
    private readonly ILogger _logger = logger;

    [LoggerMessage(108, LogLevel.Warning,
        "The bridge lost the connection to its NATS server: {Reason}; it bridges no messages until it is connected "
        + "again")]
    internal partial void ServerLost(string reason);

    [LoggerMessage(109, LogLevel.Information, "The bridge is connected to the NATS server {Server}")]
    internal partial void ServerBack(string? server);

    [LoggerMessage(110, LogLevel.Warning, "The NATS server reports an error: {Text}")]
    internal partial void ServerError(string text);

    [LoggerMessage(111, LogLevel.Error, "An unexpected error occurred in the bridge")]
    internal partial void Fault(Exception error);

    [LoggerMessage(112, LogLevel.Debug, "The NATS server reports an error again: {Text}")]
    internal partial void ServerErrorAgain(string text);

    [LoggerMessage(114, LogLevel.Error,
        "The connection to the NATS server is closed; the bridge does not connect again and bridges no more messages")]
    internal partial void ServerGone();

    [LoggerMessage(117, LogLevel.Warning,
        "The bridge cannot connect to a NATS server: {Reason}; it bridges no messages until it is connected")]
    internal partial void ServerAbsent(string reason);

    [LoggerMessage(122, LogLevel.Warning,
        "Out of file descriptors: too few of the {Limit} of this process are free. New connections are closed at once")]
    internal partial void OutOfFiles(long? limit);
}
