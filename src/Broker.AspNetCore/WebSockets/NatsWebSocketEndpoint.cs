using System.Net;
using System.Net.WebSockets;
using Broker.Server;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Broker.AspNetCore;

/// <summary>Handles the HTTP request that starts a WebSocket.</summary>
internal sealed partial class NatsWebSocketEndpoint(BrokerServer server, NatsWebSocketOptions options)
{
    private const string Subprotocol = "nats";

    private const int MostRefused = 64;
    private const int MostShown = 256;

    private readonly OriginPolicy _origins = new(options);
    private long _open;

    internal async Task AcceptAsync(HttpContext context)
    {
        // Over HTTP/2, which browsers use on an existing connection, the request is an extended CONNECT (RFC 8441).
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
            LogRefused(context);
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
        // If a client names the subprotocol "nats", the response repeats the name, because browsers require that. If a
        // client names only other subprotocols, the response names none, as in nats-server, and the client decides
        // whether it continues. Official clients name no subprotocol.
        bool named = context.WebSockets.WebSocketRequestedProtocols.Contains(Subprotocol, StringComparer.Ordinal);
        var accept = new WebSocketAcceptContext
        {
            SubProtocol = named ? Subprotocol : null,
            DangerousEnableCompression = options.Compression,
            // A compression window that is kept between messages costs at least 40 KiB for each connection.
            DisableServerContextTakeover = true,
            // NATS has its own PINGs, which detect a lost peer.
            KeepAliveInterval = Timeout.InfiniteTimeSpan,
        };
        using WebSocket socket = await context.WebSockets.AcceptWebSocketAsync(accept).ConfigureAwait(false);
        EndPoint? remote = context.Connection.RemoteIpAddress is { } address
            ? new IPEndPoint(address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address, context.Connection.RemotePort)
            : null;
        // A host that stops waits for its connections to close, and this connection closes only on request.
        CancellationToken stopping = context.Features.Get<IConnectionLifetimeNotificationFeature>()?.ConnectionClosedRequested ?? CancellationToken.None;
        using var client = new WebSocketClient(server, socket, options.MaxMessageBytes);
        await client.RunAsync(remote, context.Connection.ClientCertificate, stopping, context.RequestAborted).ConfigureAwait(false);
    }

    // The server counts its clients and sends an error to each client over its limit. This method bounds the number of
    // connections that receive this error at the same time.
    private bool TryEnter()
    {
        if (Interlocked.Increment(ref _open) <= (long)server.MaxConnections + MostRefused)
        {
            return true;
        }

        Interlocked.Decrement(ref _open);
        return false;
    }

    private void LogRefused(HttpContext context)
    {
        ILogger? logger = options.Logger
            ?? context.RequestServices?.GetService<ILoggerFactory>()?.CreateLogger("Broker.AspNetCore.WebSockets");
        if (logger is not null)
        {
            // The header comes from the client: control characters could break a line of the log.
            string origin = new([.. context.Request.Headers.Origin.ToString().Take(MostShown).Select(static c => c is >= ' ' and <= '~' ? c : '?')]);
            OriginRefused(logger, origin, context.Connection.RemoteIpAddress, context.Connection.RemotePort);
        }
    }

    [LoggerMessage(60, LogLevel.Warning, "WebSocket client from {Address}:{Port} refused: the origin {Origin} is not allowed")]
    private static partial void OriginRefused(ILogger logger, string origin, IPAddress? address, int port);

    private static Task RefuseAsync(HttpContext context, int status, string why)
    {
        context.Response.StatusCode = status;
        // RFC 6455, section 4.2.2: the response to a request for another version names the supported version.
        context.Response.Headers.SecWebSocketVersion = "13";
        context.Response.ContentType = "text/plain; charset=utf-8";
        return context.Response.WriteAsync(why, context.RequestAborted);
    }
}
