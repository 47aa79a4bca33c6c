using Broker.Server;
using Microsoft.Extensions.Logging;

namespace Broker.Hosting;

/// <summary>
/// The log messages of a host. An event's id never changes, and the id of a removed event is not used again.
/// </summary>
internal sealed partial class HostingLog(ILoggerFactory loggers)
{
    private readonly ILogger _logger = loggers.CreateLogger("Broker.Hosting");

    internal void Drained(in DrainReport report)
    {
        if (report.IsComplete)
        {
            ServerDrained();
        }
        else
        {
            ServerNotDrained(report.Messages, report.Bytes, report.Connections);
        }
    }

    internal void BridgeClosed(long undelivered)
    {
        if (undelivered != 0)
        {
            BridgeNotDrained(undelivered);
        }
    }

    [LoggerMessage(1, LogLevel.Information, "Listening at {Addresses}")]
    internal partial void Listening(string addresses);

    [LoggerMessage(2, LogLevel.Information, "The settings were reloaded")]
    internal partial void Reloaded();

    [LoggerMessage(3, LogLevel.Error, "The settings were not reloaded, and the old settings still apply: {Problem}")]
    internal partial void NotReloaded(string problem);

    [LoggerMessage(4, LogLevel.Information, "The server has stopped and has delivered all messages")]
    private partial void ServerDrained();

    [LoggerMessage(5, LogLevel.Warning, "The server has stopped and did not deliver {Messages} messages ({Bytes} bytes) to {Connections} clients")]
    private partial void ServerNotDrained(long messages, long bytes, int connections);

    [LoggerMessage(6, LogLevel.Warning, "The ZeroMQ bridge has stopped and did not deliver {Messages} messages")]
    private partial void BridgeNotDrained(long messages);

    [LoggerMessage(7, LogLevel.Warning, "A part could not be drained before it stopped")]
    internal partial void NotDrained(Exception reason);

    [LoggerMessage(8, LogLevel.Error, "An exception was thrown on an event loop")]
    internal partial void LoopFault(Exception fault);

    [LoggerMessage(17, LogLevel.Error, "Client {Client} was closed while the host runs: it used up its reconnect attempts, or the application closed it")]
    internal partial void ClientClosed(string client);

    [LoggerMessage(18, LogLevel.Information, "The routes of the ZeroMQ bridge were reloaded: {Started} started, {Ended} ended")]
    internal partial void RoutesReloaded(int started, int ended);

    [LoggerMessage(19, LogLevel.Error, "Routes of the ZeroMQ bridge were not reloaded, and the old routes continue or start again: {Problem}")]
    internal partial void RoutesNotReloaded(string problem);

    [LoggerMessage(20, LogLevel.Error, "The host cannot start, and its started parts are closed: {Kind} {Name}: {Problem}")]
    internal partial void NotStarted(HostedPartKind kind, string name, string problem);

    [LoggerMessage(21, LogLevel.Warning, "Consumer {Consumer} failed to handle message {Sequence} of the stream {Stream} at delivery {Delivery}; the server delivers it again after {Delay}")]
    internal partial void MessageRefused(string consumer, ulong sequence, string stream, long delivery, TimeSpan delay, Exception fault);

    [LoggerMessage(22, LogLevel.Error, "Consumer {Consumer} gives up message {Sequence} of the stream {Stream}")]
    internal partial void MessageGivenUp(string consumer, ulong sequence, string stream, Exception fault);

    [LoggerMessage(23, LogLevel.Error, "Consumer {Consumer} has failed and stops the host")]
    internal partial void ConsumerFailed(string consumer, Exception fault);

    [LoggerMessage(24, LogLevel.Information, "Consumer {Consumer} waits for a server")]
    internal partial void ConsumerWaits(string consumer);

    [LoggerMessage(25, LogLevel.Warning, "The outcome of message {Sequence} of the stream {Stream} did not reach the server, which delivers it again to consumer {Consumer}")]
    internal partial void NotSettled(string consumer, ulong sequence, string stream, Exception reason);
}
