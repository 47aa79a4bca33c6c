using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Broker.Server;
using Broker.Transport;
using Microsoft.Extensions.Logging;

namespace Broker.Cli.Serving;

/// <summary>The server and the bridge in this process.</summary>
internal sealed class ServeHost : IServeHost
{
    private EventLoopGroup? _loops;
    private BrokerServer? _server;

    public async Task<ServeAddresses> StartAsync(ServeSettings settings, ILoggerFactory loggers, CancellationToken cancellationToken)
    {
        ILogger logger = loggers.CreateLogger("server");
        _loops = new EventLoopGroup();
        IPAddress[] addresses = await ResolveAsync(settings.Host, cancellationToken);
        var options = new BrokerServerOptions
        {
            ServerName = settings.ServerName,
            MaxPayload = settings.MaxPayload,
            MaxControlLine = settings.MaxControlLine,
            MaxPending = settings.MaxPending,
            MaxConnections = settings.MaxConnections,
            WriteDeadline = settings.WriteDeadline,
            PingInterval = settings.PingInterval,
            PingMax = settings.PingMax,
            Loops = _loops,
            Logger = logger,
        };
        options.Listen(new IPEndPoint(addresses[0], settings.Port));
        try
        {
            _server = await BrokerServer.StartAsync(options, cancellationToken);
        }
        catch (ListenException e) when (e.InnerException is SocketException reason)
        {
            throw ServeStartException.CannotListen(HostAndPort.Format(settings.Host, settings.Port), reason);
        }

        return new ServeAddresses([.. _server.EndPoints.Select(e => "nats://" + Reachable(e))], [], []);
    }

    public ServeCounts ReadCounts()
    {
        ServerSnapshot server = _server?.Snapshot() ?? default;
        return new ServeCounts
        {
            Connections = server.Connections,
            Subscriptions = server.Subscriptions,
            MessagesIn = server.MessagesIn,
            MessagesOut = server.MessagesOut,
            BytesIn = server.BytesIn,
            BytesOut = server.BytesOut,
        };
    }

    public async Task<long> StopAsync(CancellationToken deadline)
    {
        DrainReport report = await _server!.DrainAsync(TimeSpan.FromSeconds(10), deadline);
        return report.Messages;
    }

    public async ValueTask DisposeAsync()
    {
        if (_server is not null)
        {
            await _server.DisposeAsync();
        }

        _loops?.Dispose();
    }

    private static async Task<IPAddress[]> ResolveAsync(string host, CancellationToken cancellationToken)
        => host == "*" ? [IPAddress.IPv6Any] : await Dns.GetHostAddressesAsync(host, cancellationToken);

    // What a program on this machine would dial: an address that stands for all of them is none.
    private static string Reachable(EndPoint endPoint) => endPoint switch
    {
        IPEndPoint { Address: var address, Port: var port } when address.Equals(IPAddress.Any) || address.Equals(IPAddress.IPv6Any)
            => string.Create(CultureInfo.InvariantCulture, $"127.0.0.1:{port}"),
        IPEndPoint ip => ip.ToString(),
        _ => endPoint.ToString() ?? "",
    };
}
