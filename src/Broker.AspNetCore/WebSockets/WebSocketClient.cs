using System.IO.Pipelines;
using System.Net;
using System.Net.WebSockets;
using System.Security.Cryptography.X509Certificates;
using Broker.Server;

namespace Broker.AspNetCore;

/// <summary>
/// One client that is connected by WebSocket. The bytes of its messages, binary or text, go through a pipe to the
/// server. The server's bytes return in binary messages. NATS ignores the boundaries of WebSocket messages.
/// </summary>
/// <remarks>
/// Both pipes are small. While the pipe to the server is full, the socket is not read. If the client does not read, the
/// pipe from the server fills, and the server treats the client like any other slow client.
/// </remarks>
internal sealed class WebSocketClient : IDisposable
{
    private const int ReadSize = 16 * 1024;
    private const int SendSize = 64 * 1024;
    // While the server does not read, at most this number of bytes waits in the pipe, besides the bytes that Kestrel
    // holds.
    private const int MostInbound = 64 * 1024;
    private const int MostOutbound = 128 * 1024;

    // The minimum size for compression: smaller messages would grow.
    private const int LeastToCompress = 64;

    private static readonly TimeSpan Grace = TimeSpan.FromSeconds(2);

    private readonly BrokerServer _server;
    private readonly WebSocket _socket;
    private readonly long _maxMessage;
    private readonly CancellationTokenSource _ending = new();
    private readonly TaskCompletionSource _gone = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Pipe _inbound = new(Options(MostInbound));
    private readonly Pipe _outbound = new(Options(MostOutbound));
    private PipeClient? _client;
    private WebSocketCloseStatus _status = WebSocketCloseStatus.NormalClosure;
    private string? _words;

    // True until the client has ended its direction. If it is still true at a close, the server has caused the close.
    private volatile bool _receives = true;

    internal WebSocketClient(BrokerServer server, WebSocket socket, long maxMessage)
    {
        _server = server;
        _socket = socket;
        _maxMessage = maxMessage;
    }

    /// <summary>
    /// Completes when the client has disconnected. <paramref name="stopping"/> lets the client receive its queued
    /// messages and then closes it. <paramref name="aborted"/> cuts the connection at once.
    /// </summary>
    internal async Task RunAsync(EndPoint? remote, X509Certificate2? certificate, CancellationToken stopping, CancellationToken aborted)
    {
        using CancellationTokenRegistration abort = aborted.UnsafeRegister(static s => ((WebSocketClient)s!)._ending.Cancel(), this);
        try
        {
            _client = _server.ConnectPipe(new ServerEnd(_inbound.Reader, _outbound.Writer, OnServerEnded), remote, ClientTransport.WebSocket, certificate);
        }
        catch (ObjectDisposedException)
        {
            // The server was disposed before its host.
            _status = WebSocketCloseStatus.EndpointUnavailable;
            await CloseAsync().ConfigureAwait(false);
            return;
        }

        using CancellationTokenRegistration leave = stopping.UnsafeRegister(static c => ((PipeClient)c!).Close(Timeout.InfiniteTimeSpan), _client);
        Task sending = SendAllAsync();
        _status = await ReceiveAllAsync().ConfigureAwait(false);
        _receives = false;
        // Messages that the client published before its close are still processed.
        await _inbound.Writer.CompleteAsync().ConfigureAwait(false);
        _ending.CancelAfter(Grace);
        await sending.ConfigureAwait(false);
        await CloseAsync().ConfigureAwait(false);
        await _gone.Task.WaitAsync(Timeout.InfiniteTimeSpan, CancellationToken.None).ConfigureAwait(false);
    }

    public void Dispose() => _ending.Dispose();

    private static PipeOptions Options(int most)
        => new(pauseWriterThreshold: most, resumeWriterThreshold: most / 2, useSynchronizationContext: false);

    // The unsent bytes of a client that does not read must not stay in memory for longer than Grace.
    private void OnServerEnded()
    {
        _ending.CancelAfter(Grace);
        _gone.SetResult();
    }

    // The result is the status for the close frame.
    private async Task<WebSocketCloseStatus> ReceiveAllAsync()
    {
        PipeWriter server = _inbound.Writer;
        long message = 0;
        try
        {
            while (true)
            {
                ValueWebSocketReceiveResult got = await _socket.ReceiveAsync(server.GetMemory(ReadSize)[..ReadSize], _ending.Token).ConfigureAwait(false);
                if (got.MessageType == WebSocketMessageType.Close)
                {
                    // The answer repeats the client's status (RFC 6455, section 5.5.1). Status 1005 means that the
                    // client sent no status, and must not be sent.
                    if (_socket.CloseStatus is not { } said || said == WebSocketCloseStatus.Empty)
                    {
                        return WebSocketCloseStatus.NormalClosure;
                    }

                    _words = _socket.CloseStatusDescription;
                    return said;
                }

                message += got.Count;
                if (message > _maxMessage)
                {
                    return WebSocketCloseStatus.MessageTooBig;
                }

                message = got.EndOfMessage ? 0 : message;
                server.Advance(got.Count);
                await server.FlushAsync(_ending.Token).ConfigureAwait(false);
            }
        }
        catch (WebSocketException e) when (e.WebSocketErrorCode is WebSocketError.Faulted or WebSocketError.HeaderError)
        {
            return WebSocketCloseStatus.ProtocolError;
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            // Whatever the error is, the client's connection to the server must end.
            return WebSocketCloseStatus.EndpointUnavailable;
        }
    }

    private async Task SendAllAsync()
    {
        PipeReader server = _outbound.Reader;
        try
        {
            ReadResult read;
            do
            {
                read = await server.ReadAsync(_ending.Token).ConfigureAwait(false);
                foreach (ReadOnlyMemory<byte> segment in read.Buffer)
                {
                    for (int at = 0; at < segment.Length; at += SendSize)
                    {
                        await SendAsync(segment.Slice(at, Math.Min(SendSize, segment.Length - at))).ConfigureAwait(false);
                    }
                }

                server.AdvanceTo(read.Buffer.End);
            }
            while (!read.IsCompleted);

            // The server has closed the connection, or the client has ended its direction. The client has the time
            // Grace to answer the close frame.
            (WebSocketCloseStatus status, string? words) = _receives ? CloseStatus.For(_client?.Reason) : (_status, _words);
            await _socket.CloseOutputAsync(status, words, _ending.Token).ConfigureAwait(false);
            _ending.CancelAfter(Grace);
        }
        catch (Exception e) when (e is WebSocketException or OperationCanceledException or IOException or ObjectDisposedException)
        {
            await _ending.CancelAsync().ConfigureAwait(false);
        }
        finally
        {
            await server.CompleteAsync().ConfigureAwait(false);
        }
    }

    private ValueTask SendAsync(ReadOnlyMemory<byte> bytes)
    {
        WebSocketMessageFlags flags = bytes.Length < LeastToCompress
            ? WebSocketMessageFlags.EndOfMessage | WebSocketMessageFlags.DisableCompression
            : WebSocketMessageFlags.EndOfMessage;
        return _socket.SendAsync(bytes, WebSocketMessageType.Binary, flags, _ending.Token);
    }

    private async Task CloseAsync()
    {
        if (_socket.State is WebSocketState.Open or WebSocketState.CloseReceived or WebSocketState.CloseSent)
        {
            try
            {
                using var limit = new CancellationTokenSource(Grace);
                // This call also reads and drops further input: unread input would cause a TCP reset, which can discard
                // the close status before the client reads it.
                await _socket.CloseAsync(_status, _words, limit.Token).ConfigureAwait(false);
            }
            catch (Exception e) when (e is WebSocketException or OperationCanceledException or IOException)
            {
                // The client has disconnected, and the exception is how the socket reports it.
            }
        }

        if (_socket.State != WebSocketState.Closed)
        {
            _socket.Abort();
        }
    }
}
