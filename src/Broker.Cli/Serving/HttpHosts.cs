using System.Net.Security;
using System.Net.Sockets;
using Broker.AspNetCore;
using Broker.Server;
using Broker.Transport;
using Microsoft.Extensions.Logging;

namespace Broker.Cli.Serving;

/// <summary>Starts the HTTP listeners: the monitoring pages and the WebSocket listener.</summary>
internal static partial class HttpHosts
{
    /// <exception cref="ServeStartException">The address or the certificate cannot be used.</exception>
    public static Task<MonitoringHost> StartMonitoringAsync(
        BrokerServer server, ListenAddress address, ServeSettings settings, MonitoringOptions options, ILogger logger,
        CancellationToken cancellationToken)
    {
        // As in nats-server, the pages do not require a client certificate.
        SslServerAuthenticationOptions? tls = settings switch
        {
            { Https: null } => null,
            { Tls: { } given } => Load(given with { ClientCertificates = ClientCertificateMode.None, MapUsers = false, PinnedPublicKeys = [] }),
            _ => throw new ServeStartException("monitoring over HTTPS needs a certificate: a \"tls\" block with cert_file and key_file"),
        };
        return ListenAsync(address, async () =>
        {
            options.BasePath = settings.HttpBasePath;
            options.MaxConnections = settings.HttpMaxConnections;
            options.Tls = tls;
            MonitoringHost host = await MonitoringHost.StartAsync(
                server, await address.ResolveAsync(cancellationToken), options, cancellationToken);
            MonitoringStarted(logger, host.Address.Scheme, host.Address.Authority);
            return host;
        });
    }

    /// <summary>Starts the pages of a bridge without a server.</summary>
    /// <exception cref="ServeStartException">The address cannot be used.</exception>
    public static Task<MonitoringHost> StartPagesAsync(
        EventLoopGroup loops, ListenAddress address, int maxConnections, IReadOnlyList<MonitoringPage> pages, ILogger logger,
        CancellationToken cancellationToken)
        => ListenAsync(address, async () =>
        {
            MonitoringHost host = await MonitoringHost.StartAsync(
                loops, await address.ResolveAsync(cancellationToken), new MonitoringOptions { MaxConnections = maxConnections, Pages = pages }, cancellationToken);
            MonitoringStarted(logger, host.Address.Scheme, host.Address.Authority);
            return host;
        });

    /// <inheritdoc cref="StartMonitoringAsync"/>
    public static Task<NatsWebSocketHost> StartWebSocketAsync(
        BrokerServer server, WebSocketSettings settings, ILogger logger, CancellationToken cancellationToken)
    {
        var options = new NatsWebSocketOptions
        {
            Tls = settings.Tls is null ? null : Load(settings.Tls),
            NoTls = settings.NoTls,
            AllowedOrigins = settings.AllowedOrigins,
            SameOrigin = settings.SameOrigin,
            Compression = settings.Compression,
            HandshakeTimeout = settings.HandshakeTimeout,
            Advertise = settings.Advertise,
            Logger = logger,
        };
        return ListenAsync(settings.Address, async () =>
        {
            NatsWebSocketHost host = await NatsWebSocketHost.StartAsync(
                server, await settings.Address.ResolveAsync(cancellationToken), options, cancellationToken);
            WebSocketListening(logger, host.Address.Scheme, host.Address.Authority);
            if (settings.Tls is null)
            {
                WebSocketInClear(logger);
            }

            return host;
        });
    }

    private static SslServerAuthenticationOptions Load(ServerTlsOptions tls)
    {
        try
        {
            return tls.CreateAuthentication();
        }
        catch (ArgumentException e)
        {
            throw new ServeStartException(e.Message, e);
        }
    }

    private static async Task<T> ListenAsync<T>(ListenAddress address, Func<Task<T>> start)
    {
        try
        {
            return await start();
        }
        catch (ListenException e) when (e.InnerException is SocketException reason)
        {
            throw ServeStartException.CannotListen(address.ToString(), reason);
        }
    }

    [LoggerMessage(211, LogLevel.Information, "Starting {Scheme} monitor on {Address}")]
    private static partial void MonitoringStarted(ILogger logger, string scheme, string address);

    [LoggerMessage(212, LogLevel.Information, "Listening for websocket clients on {Scheme}://{Address}")]
    private static partial void WebSocketListening(ILogger logger, string scheme, string address);

    [LoggerMessage(213, LogLevel.Warning, "Websocket not configured with TLS: passwords and messages are sent unencrypted")]
    private static partial void WebSocketInClear(ILogger logger);
}
