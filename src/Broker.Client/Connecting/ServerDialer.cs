using System.Net;
using System.Net.Sockets;
using System.Net.WebSockets;
using System.Security.Authentication;
using Broker.Transport;

namespace Broker.Client;

/// <summary>
/// Connects to one server: reads the TLS files and the credentials, dials by TCP, by WebSocket or with the dialer of
/// the options, and waits for the handshake. Thread-safe.
/// </summary>
internal sealed class ServerDialer(ConnectionCore core)
{
    /// <summary>
    /// Completes when the handshake with the server is done, so that the link is the current one. Fails within
    /// <see cref="ClientOptions.ConnectTimeout"/>.
    /// </summary>
    internal async Task ConnectAsync(ServerAddress address, CancellationToken cancellationToken)
    {
        var link = new Link(core, address);
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(core.Options.ConnectTimeout);
        try
        {
            link.Tls = ReadTlsFiles(address);
            link.Credentials = await GetCredentialsAsync(address, limit.Token).ConfigureAwait(false);
            await DialAsync(link, limit.Token).ConfigureAwait(false);
            await link.Established.WaitAsync(limit.Token).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            if (!link.TryAbandon())
            {
                // The link was established at the last moment and is in use.
                return;
            }

            if (e is SocketException { SocketErrorCode: var code })
            {
                // The exception of a connect has the address in its own message, in another form.
                string reason = new SocketException((int)code).Message;
                throw new ConnectionLostException($"The server cannot be reached: {reason} ({core.NameOf(address)})", e);
            }

            if (e is OperationCanceledException && !cancellationToken.IsCancellationRequested)
            {
                throw new TimeoutException($"The server did not answer in time. ({core.NameOf(address)})", e);
            }

            throw;
        }
    }

    // The files may be renewed while the connection lives. If a file is half written, a later attempt succeeds.
    private ClientTlsContext ReadTlsFiles(ServerAddress address)
    {
        try
        {
            return core.Tls.ReadFiles();
        }
        catch (ArgumentException e)
        {
            throw new TlsException($"{e.Message} ({core.NameOf(address)})", e);
        }
    }

    private async ValueTask<ConnectCredentials?> GetCredentialsAsync(ServerAddress address, CancellationToken limit)
    {
        if (core.Options.GetCredentials is not { } get)
        {
            return null;
        }

        try
        {
            // Runs on the thread pool, because the callback could block the synchronization context of the caller.
            return await Task.Run(() => get(limit).AsTask(), limit).WaitAsync(limit).ConfigureAwait(false);
        }
        catch (Exception e) when (e is not (OutOfMemoryException or OperationCanceledException))
        {
            throw new ConnectionLostException($"The callback for credentials failed: {e.GetType().Name}. ({core.NameOf(address)})", e);
        }
    }

    private Task<Connection> DialAsync(Link link, CancellationToken cancellationToken)
        => core.Options.Dialer is { } dialer
            ? dialer.DialAsync(core.Loop, link, cancellationToken).AsTask()
            : link.Address.WebSocketUri is { } uri
            ? DialWebSocketAsync(link, uri, cancellationToken)
            : DialTcpAsync(link, cancellationToken);

    private async Task<Connection> DialTcpAsync(Link link, CancellationToken cancellationToken)
    {
        EndPoint endPoint = link.Address.EndPoint;
        if (core.Options.ResolveServer is { } resolve)
        {
            try
            {
                // Runs on the thread pool for the same reason as the callback for credentials.
                endPoint = await Task.Run(() => resolve(link.Address.ToString(), cancellationToken).AsTask(), cancellationToken)
                    .WaitAsync(cancellationToken).ConfigureAwait(false) ?? endPoint;
            }
            catch (Exception e) when (e is not (OutOfMemoryException or OperationCanceledException))
            {
                throw new ConnectionLostException($"The callback ResolveServer failed: {e.Message} ({link.ServerName})", e);
            }
        }

        return await Dialer.ConnectAsync(core.Loop, endPoint, link, cancellationToken).ConfigureAwait(false);
    }

    private async Task<Connection> DialWebSocketAsync(Link link, Uri uri, CancellationToken cancellationToken)
    {
        ServerAddress address = link.Address;
        try
        {
            return await WebSocketDialer.ConnectAsync(
                core.Loop, uri, link.Tls.CreateAuthentication(address.TlsHost), link, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (e is WebSocketException or HttpRequestException or IOException)
        {
            throw e.GetBaseException() is AuthenticationException tlsError
                ? new TlsException($"TLS failed: {tlsError.Message} ({address})", e)
                : new ConnectionLostException($"The server cannot be reached by WebSocket: {e.GetBaseException().Message} ({address})", e);
        }
    }
}
