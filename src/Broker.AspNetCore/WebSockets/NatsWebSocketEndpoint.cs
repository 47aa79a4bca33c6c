using System.Net;
using System.Net.WebSockets;
using Broker.Server;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Broker.AspNetCore;

/// <summary>Answers the HTTP request that a WebSocket begins with.</summary>
internal sealed class NatsWebSocketEndpoint(BrokerServer server, NatsWebSocketOptions options)
{
    private const string Subprotocol = "nats";

    private const int MostRefused = 64;

    private readonly OriginPolicy _origins = new(options);
    private long _open;

    internal async Task AcceptAsync(HttpContext context)
    {
        // Over HTTP/2, as browsers do it on a connection that they have, it begins with an extended CONNECT (RFC 8441).
        bool connects = context.Features.Get<IHttpExtendedConnectFeature>() is { IsExtendedConnect: true };
        if (!connects && !HttpMethods.IsGet(context.Request.Method))
        {
            context.Response.Headers.Allow = HttpMethods.Get;
            await RefuseAsync(context, StatusCodes.Status405MethodNotAllowed, "a WebSocket begins with GET").ConfigureAwait(false);
            return;
        }

        if (!context.WebSockets.IsWebSocketRequest)
        {
            await RefuseAsync(context, StatusCodes.Status400BadRequest, "a WebSocket is expected here").ConfigureAwait(false);
            return;
        }

        if (!_origins.Allows(context.Request))
        {
            await RefuseAsync(context, StatusCodes.Status403Forbidden, "origin not allowed").ConfigureAwait(false);
            return;
        }

        if (!TryEnter())
        {
            await RefuseAsync(context, StatusCodes.Status503ServiceUnavailable, "maximum connections exceeded").ConfigureAwait(false);
            return;
        }

        try
        {
            await ServeAsync(context).ConfigureAwait(false);
        }
        finally
        {
            Interlocked.Decrement(ref _open);
        }
    }

    private async Task ServeAsync(HttpContext context)
    {
        // Official clients name no protocol. Who names ours is answered with it, since browsers want that; who names others is let in
        // without one, as by nats-server, and may go.
        bool named = context.WebSockets.WebSocketRequestedProtocols.Contains(Subprotocol, StringComparer.Ordinal);
        var accept = new WebSocketAcceptContext
        {
            SubProtocol = named ? Subprotocol : null,
            DangerousEnableCompression = options.Compression,
            // A window for each of ten thousand connections would be 40 KiB and more for each.
            DisableServerContextTakeover = true,
            // NATS has PINGs of its own, which find a peer that is gone.
            KeepAliveInterval = Timeout.InfiniteTimeSpan,
        };
        using WebSocket socket = await context.WebSockets.AcceptWebSocketAsync(accept).ConfigureAwait(false);
        EndPoint? remote = context.Connection.RemoteIpAddress is { } address
            ? new IPEndPoint(address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address, context.Connection.RemotePort)
            : null;
        // The host waits for its connections when it stops, and they go by themselves only when they are told.
        CancellationToken stopping = context.Features.Get<IConnectionLifetimeNotificationFeature>()?.ConnectionClosedRequested ?? CancellationToken.None;
        using var client = new WebSocketClient(server, socket, options.MaxMessageBytes);
        await client.RunAsync(remote, context.Connection.ClientCertificate, stopping, context.RequestAborted).ConfigureAwait(false);
    }

    // The server counts its clients itself and tells who is one too many why; this bounds how many are being told.
    private bool TryEnter()
    {
        if (Interlocked.Increment(ref _open) <= (long)server.MaxConnections + MostRefused)
        {
            return true;
        }

        Interlocked.Decrement(ref _open);
        return false;
    }

    private static Task RefuseAsync(HttpContext context, int status, string why)
    {
        context.Response.StatusCode = status;
        // RFC 6455, section 4.2.2: whoever speaks another version is told which one is spoken here.
        context.Response.Headers.SecWebSocketVersion = "13";
        context.Response.ContentType = "text/plain; charset=utf-8";
        return context.Response.WriteAsync(why, context.RequestAborted);
    }
}
