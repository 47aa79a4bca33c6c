using Broker.Server;
using Microsoft.Extensions.Logging;

namespace Broker.Hosting;

/// <summary>What is logged of the life in a host. Event ids stay what they are; one that is retired is not used again.</summary>
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

    [LoggerMessage(3, LogLevel.Error, "The settings were not reloaded, and nothing has changed: {Problem}")]
    internal partial void NotReloaded(string problem);

    [LoggerMessage(4, LogLevel.Information, "The server has stopped: everything was delivered")]
    private partial void ServerDrained();

    [LoggerMessage(5, LogLevel.Warning, "The server has stopped with {Messages} messages ({Bytes} bytes) for {Connections} clients not delivered")]
    private partial void ServerNotDrained(long messages, long bytes, int connections);

    [LoggerMessage(6, LogLevel.Warning, "The ZeroMQ bridge has stopped with {Messages} messages not delivered")]
    private partial void BridgeNotDrained(long messages);

    [LoggerMessage(7, LogLevel.Warning, "A part could not be drained before it stopped")]
    internal partial void NotDrained(Exception reason);

    [LoggerMessage(8, LogLevel.Error, "An event loop met a fault")]
    internal partial void LoopFault(Exception fault);

    [LoggerMessage(17, LogLevel.Error, "Client {Client} is closed while the host goes on: it was given up, or somebody closed it")]
    internal partial void ClientClosed(string client);

    [LoggerMessage(18, LogLevel.Information, "The routes of the ZeroMQ bridge were reloaded: {Started} started, {Ended} ended")]
    internal partial void RoutesReloaded(int started, int ended);

    [LoggerMessage(19, LogLevel.Error, "Routes of the ZeroMQ bridge were not reloaded and go on as they were: {Problem}")]
    internal partial void RoutesNotReloaded(string problem);

    [LoggerMessage(20, LogLevel.Error, "The host does not start, and what had started is closed: {Kind} {Name}: {Problem}")]
    internal partial void NotStarted(HostedPartKind kind, string name, string problem);
}
