using System.Net;
using Broker.AspNetCore;
using Broker.Bridge;
using Broker.ZeroMq;
using Microsoft.Extensions.Logging;

namespace Broker.Cli.Serving;

/// <summary>Logs warnings at each start about endpoints that everybody can use without authentication.</summary>
internal static partial class StartWarnings
{
    public static void Log(ServeSettings settings, BridgeRun? bridge, MonitoringHost? monitoring, ILogger logger)
    {
        foreach (string endpoint in bridge?.Snapshot().Routes.Where(IsOpen).SelectMany(route => route.Endpoints) ?? [])
        {
            if (IsBeyondThisMachine(endpoint))
            {
                ZeroMqIsOpen(logger, endpoint, "everybody who can connect to this address");
            }
            else if (settings.Security is { IsRequired: true })
            {
                ZeroMqIsOpen(logger, endpoint, "every program on this machine, although NATS clients must authenticate,");
            }
        }

        if (monitoring?.EndPoint is IPEndPoint pages && !IPAddress.IsLoopback(pages.Address))
        {
            PagesAreOpen(logger, monitoring.Address);
            if (settings is { HttpAdmin: not null, Https: null })
            {
                AdministratorInClear(logger, monitoring.Address);
            }
        }

        if (settings is { Streams: null, StoreDirectory: { } unused })
        {
            StoreIsUnused(logger, unused);
        }

        if (settings.WebSocket is { IsHostDefault: true })
        {
            WebSocketIsEverywhere(logger, settings.WebSocket.Address);
        }
    }

    // A PLAIN client does not authenticate the other side: every program that accepts its connection is taken for the
    // server.
    private static bool IsOpen(RouteSnapshot route) => route.Security is "NULL" or "PLAIN client";

    private static bool IsBeyondThisMachine(string endpoint)
        => ZeroMqEndpoint.TryParse(endpoint, out ZeroMqEndpoint? parsed, out _) && !parsed.IsIpc
        && !(IPAddress.TryParse(parsed.Host, out IPAddress? address) ? IPAddress.IsLoopback(address) : parsed.Host == "localhost");

    [LoggerMessage(214, LogLevel.Warning, "ZeroMQ has no authentication at {Endpoint}: {Who} can send and receive bridged messages")]
    private static partial void ZeroMqIsOpen(ILogger logger, string endpoint, string who);

    [LoggerMessage(215, LogLevel.Warning, "Monitoring has no authentication: everybody who can connect to {Address} sees clients and subjects")]
    private static partial void PagesAreOpen(ILogger logger, Uri address);

    [LoggerMessage(220, LogLevel.Warning, "The directory {Directory} is not used: streams need -js, or \"jetstream\" in the file")]
    private static partial void StoreIsUnused(ILogger logger, string directory);

    [LoggerMessage(221, LogLevel.Warning, "http_admin without TLS at {Address}: the administrator's password is sent unencrypted")]
    private static partial void AdministratorInClear(ILogger logger, Uri address);

    [LoggerMessage(216, LogLevel.Warning, "websocket has no host, so it listens on all addresses of this machine: {Address}")]
    private static partial void WebSocketIsEverywhere(ILogger logger, ListenAddress address);
}
