using System.Net;
using Broker.Server;
using Broker.Transport;
using Microsoft.AspNetCore.Builder;

namespace Broker.AspNetCore;

/// <summary>Listens at one address for NATS clients that connect to a server by WebSocket, at any path.</summary>
/// <remarks>
/// The host does not own the server, logs only to <see cref="NatsWebSocketOptions.Logger"/>, and does not handle the
/// process's signals.
/// </remarks>
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

    /// <summary>The bound address. For port 0 it contains the port that the system chose.</summary>
    public EndPoint EndPoint => _host.EndPoint;

    /// <summary>The URL for clients.</summary>
    public Uri Address { get; }

    /// <summary>The options of this host.</summary>
    internal NatsWebSocketOptions Options { get; }

    /// <summary>Describes the address and the options for monitoring.</summary>
    internal WebSocketDescription Describe() => new()
    {
        EndPoint = EndPoint,
        Advertise = Options.Advertise,
        HandshakeTimeout = Options.HandshakeTimeout,
        NoTls = Options.NoTls,
        SameOrigin = Options.SameOrigin,
        AllowedOrigins = Options.AllowedOrigins,
        Compression = Options.Compression,
    };

    /// <summary>Starts the host. When the task completes, clients can connect.</summary>
    /// <exception cref="ListenException">The address cannot be bound.</exception>
    /// <exception cref="ArgumentException">
    /// An option is out of its range, or there is no certificate and <see cref="NatsWebSocketOptions.NoTls"/> is not
    /// set.
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
                "A WebSocket listener needs a certificate. Without one, for tests or behind a proxy, set no_tls.", nameof(options));
        }

        KestrelHost host = await KestrelHost.StartAsync(
            endPoint,
            server.Loops.ConnectionBudget,
            // The places limit only connections without a request. NatsWebSocketEndpoint limits connections with a
            // request, and a reload can change its limit.
            new HttpPlaces(options.MostAsking, requestsCountApart: true),
            options.Authentication(),
            limits =>
            {
                limits.RequestHeadersTimeout = options.HandshakeTimeout;
                limits.KeepAliveTimeout = options.HandshakeTimeout;
                limits.MaxRequestBodySize = 0;
                limits.MinResponseDataRate = null;
            },
            addServices: null,
            application => application.Run(application.CreateWebSocketDelegate(server, options)),
            cancellationToken).ConfigureAwait(false);
        return new NatsWebSocketHost(host, options);
    }

    /// <summary>Stops the host and closes its connections.</summary>
    public ValueTask DisposeAsync() => _host.DisposeAsync();
}
