using System.Net;
using Broker.AspNetCore;
using Broker.Bridge;
using Broker.ZeroMq;
using Microsoft.Extensions.Logging;

namespace Broker.Cli.Serving;

/// <summary>What an operator should know of doors that stand open, said at each start.</summary>
internal static partial class StartWarnings
{
    public static void Log(ServeSettings settings, BridgeRun? bridge, MonitoringHost? monitoring, ILogger logger)
    {
        foreach (string endpoint in bridge?.Snapshot().Routes.Where(IsOpen).SelectMany(route => route.Endpoints) ?? [])
        {
            if (IsBeyondThisMachine(endpoint))
            {
                ZeroMqIsOpen(logger, endpoint, "whoever reaches this address");
            }
            else if (settings.Security is { IsRequired: true })
            {
                ZeroMqIsOpen(logger, endpoint, "every program of this machine, though clients of NATS must show who they are,");
            }
        }

        if (monitoring?.EndPoint is IPEndPoint pages && !IPAddress.IsLoopback(pages.Address))
        {
            PagesAreOpen(logger, monitoring.Address);
        }

        if (settings.WebSocket is { IsHostDefault: true })
        {
            WebSocketIsEverywhere(logger, settings.WebSocket.Address);
        }
    }

    // The client of PLAIN asks for no proof: whoever connects to it is taken for the server.
    private static bool IsOpen(RouteSnapshot route) => route.Security is "NULL" or "PLAIN client";

    private static bool IsBeyondThisMachine(string endpoint) =>
        ZeroMqEndpoint.TryParse(endpoint, out ZeroMqEndpoint? parsed, out _) && !parsed.IsIpc
        && !(IPAddress.TryParse(parsed.Host, out IPAddress? address) ? IPAddress.IsLoopback(address) : parsed.Host == "localhost");

    [LoggerMessage(214, LogLevel.Warning, "ZeroMQ has no authentication: at {Endpoint} {Who} may send and receive what is bridged")]
    private static partial void ZeroMqIsOpen(ILogger logger, string endpoint, string who);

    [LoggerMessage(215, LogLevel.Warning, "Monitoring has no authentication: at {Address} whoever reaches it sees clients and subjects")]
    private static partial void PagesAreOpen(ILogger logger, Uri address);

    [LoggerMessage(216, LogLevel.Warning, "No host was given for websocket, so all addresses of this machine are listened at: {Address}")]
    private static partial void WebSocketIsEverywhere(ILogger logger, ListenAddress address);
}
