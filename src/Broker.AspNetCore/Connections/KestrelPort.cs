using System.Net;
using Broker.Server;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;

namespace Broker.AspNetCore;

/// <summary>Passes connections that Kestrel has accepted to a server. Thread-safe.</summary>
internal sealed class KestrelPort(Func<BrokerServer> server)
{
    // A client without TLS has this time to read the reason for a close, before a TCP reset can discard the reason.
    private static readonly TimeSpan Linger = TimeSpan.FromSeconds(2);

    /// <summary>
    /// Completes when the server no longer uses the connection. Kestrel then sends the rest of its pipe and closes.
    /// </summary>
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

        // A host that stops waits for its connections to close, and this connection closes only on request.
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
