using System.Net;
using Broker.Server;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;

namespace Broker.AspNetCore;

/// <summary>Hands connections that Kestrel has accepted to a server. Any thread.</summary>
internal sealed class KestrelPort(Func<BrokerServer> server)
{
    // So that a client in clear that is closed has read the reason before a reset could take it.
    private static readonly TimeSpan Linger = TimeSpan.FromSeconds(2);

    /// <summary>Returns when the client has gone; Kestrel then sends what is left in its pipe, and closes.</summary>
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
            // The server has ended before Kestrel.
            return;
        }

        // The host waits for its connections when it stops, and they go by themselves only when they are told.
        CancellationToken stopping = connection.Features.Get<IConnectionLifetimeNotificationFeature>()?.ConnectionClosedRequested ?? CancellationToken.None;
        using (stopping.UnsafeRegister(static c => ((PipeClient)c!).Close(Timeout.InfiniteTimeSpan), client))
        {
            await end.Done.ConfigureAwait(false);
        }
    }

    // Kestrel listens for both protocols with one socket, and shows IPv4 addresses in a form of IPv6.
    private static EndPoint? Plain(EndPoint? remote)
        => remote is IPEndPoint { Address.IsIPv4MappedToIPv6: true } ip ? new IPEndPoint(ip.Address.MapToIPv4(), ip.Port) : remote;
}
