using System.Net;
using Broker.Server;
using Broker.Transport;
using Microsoft.AspNetCore.Builder;

namespace Broker.AspNetCore;

/// <summary>An address at which NATS clients connect to one server by WebSocket, whatever the path.</summary>
/// <remarks>It does not own the server, logs nothing and leaves the process's signals alone.</remarks>
public sealed class NatsWebSocketHost : IAsyncDisposable
{
    private readonly KestrelHost _host;

    private NatsWebSocketHost(KestrelHost host, NatsWebSocketOptions options)
    {
        _host = host;
        Options = options;
        string authority = host.EndPoint is IPEndPoint ip ? ip.ToString() : "localhost";
        Address = new Uri($"{(options.IsSecure ? "wss" : "ws")}://{authority}");
    }

    /// <summary>The address that was really taken: with port 0 this tells which.</summary>
    public EndPoint EndPoint => _host.EndPoint;

    /// <summary>The address for clients.</summary>
    public Uri Address { get; }

    /// <summary>Those it was started with.</summary>
    internal NatsWebSocketOptions Options { get; }

    /// <summary>Starts it. When the task is done, clients can connect.</summary>
    /// <exception cref="ListenException">The address cannot be had.</exception>
    /// <exception cref="ArgumentException">
    /// An option is out of its range, or there is no certificate and <see cref="NatsWebSocketOptions.NoTls"/> is not set.
    /// </exception>
    public static async Task<NatsWebSocketHost> StartAsync(
        BrokerServer server, EndPoint endPoint, NatsWebSocketOptions options, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(server);
        ArgumentNullException.ThrowIfNull(endPoint);
        ArgumentNullException.ThrowIfNull(options);
        options = options.Copy();
        options.Validate();
        if (!options.IsSecure && !options.NoTls)
        {
            throw new ArgumentException(
                "A WebSocket listener needs a certificate; to do without, for tests or behind a proxy, set no_tls.", nameof(options));
        }

        KestrelHost host = await KestrelHost.StartAsync(
            endPoint,
            server.Loops.ConnectionBudget,
            options.Authentication(),
            limits =>
            {
                // Those that have not asked yet; the others are counted by the endpoint, by a limit that may change.
                limits.MaxConcurrentConnections = options.MostAsking;
                limits.RequestHeadersTimeout = options.HandshakeTimeout;
                limits.KeepAliveTimeout = options.HandshakeTimeout;
                limits.MaxRequestBodySize = 0;
                limits.MinResponseDataRate = null;
            },
            application => application.Run(application.CreateWebSocketDelegate(server, options)),
            cancellationToken).ConfigureAwait(false);
        return new NatsWebSocketHost(host, options);
    }

    /// <summary>Stops it: whoever is connected by it is closed.</summary>
    public ValueTask DisposeAsync() => _host.DisposeAsync();
}
