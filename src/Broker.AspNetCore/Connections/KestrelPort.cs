using System.Net;
using Broker.Server;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;

namespace Broker.AspNetCore;

/// <summary>Passes connections that Kestrel has accepted to a server. Thread-safe.</summary>
internal sealed class KestrelPort(Func<BrokerServer> server)
{
    // Lets a client without TLS read the reason for a close before a reset can discard it.
    private static readonly TimeSpan Linger = TimeSpan.FromSeconds(2);

    /// <summary>Returns when the client has disconnected. Kestrel then sends the rest of its pipe and closes.</summary>
    internal async Task ServeAsync(ConnectionContext connection)
    {
        ITlsConnectionFeature? tls = connection.Features.Get<ITlsConnectionFeature>();
        var end = new KestrelEnd(connection.Transport, tls is null ? Linger : TimeSpan.Zero);
        PipeClient client;
        try
        {
            client = server().ConnectPipe(end, Plain(connection.RemoteEndPoint), ClientTransport.Stream, tls?.ClientCertificate);
        }
        catch (ObjectDisposedException)
        {
            // The server was disposed before Kestrel.
            return;
        }

        // A stopping host waits for its connections, and they close only if they are asked to.
        CancellationToken stopping = connection.Features.Get<IConnectionLifetimeNotificationFeature>()?.ConnectionClosedRequested ?? CancellationToken.None;
        using (stopping.UnsafeRegister(static c => ((PipeClient)c!).Close(Timeout.InfiniteTimeSpan), client))
        {
            await end.Done.ConfigureAwait(false);
        }
    }

    // Kestrel listens for IPv4 and IPv6 with one socket, and reports IPv4 addresses as mapped IPv6 addresses.
    private static EndPoint? Plain(EndPoint? remote)
        => remote is IPEndPoint { Address.IsIPv4MappedToIPv6: true } ip ? new IPEndPoint(ip.Address.MapToIPv4(), ip.Port) : remote;
}
