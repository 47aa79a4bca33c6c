using System.IO.Pipelines;
using System.Net;
using System.Net.WebSockets;
using System.Security.Cryptography.X509Certificates;
using Broker.Server;

namespace Broker.AspNetCore;

/// <summary>
/// One client that comes by WebSocket: its messages, binary or text, are the bytes of a pipe to the server, and what comes back
/// is binary. Where messages begin and end means nothing to NATS.
/// </summary>
/// <remarks>
/// Both pipes are small. Towards the server the socket is not read on while one is full; towards the client the server sees that
/// nothing is taken, and treats it as any other client that is slow.
/// </remarks>
internal sealed class WebSocketClient : IDisposable
{
    private const int ReadSize = 16 * 1024;
    private const int SendSize = 64 * 1024;
    private const int MostInbound = 1024 * 1024;
    private const int MostOutbound = 128 * 1024;

    // Smaller messages grow when they are compressed.
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

    // While it does, a close is the server's doing.
    private volatile bool _receives = true;

    internal WebSocketClient(BrokerServer server, WebSocket socket, long maxMessage)
    {
        _server = server;
        _socket = socket;
        _maxMessage = maxMessage;
    }

    /// <summary>
    /// Returns when the client has gone: of itself, sent away with what was queued for it when <paramref name="stopping"/> came, or cut off when
    /// <paramref name="aborted"/> did.
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
            // The server has ended before its host.
            _status = WebSocketCloseStatus.EndpointUnavailable;
            await CloseAsync().ConfigureAwait(false);
            return;
        }

        using CancellationTokenRegistration leave = stopping.UnsafeRegister(static c => ((PipeClient)c!).Close(Timeout.InfiniteTimeSpan), _client);
        Task sending = SendAllAsync();
        _status = await ReceiveAllAsync().ConfigureAwait(false);
        _receives = false;
        // What the client published before it closed is handled yet.
        await _inbound.Writer.CompleteAsync().ConfigureAwait(false);
        _ending.CancelAfter(Grace);
        await sending.ConfigureAwait(false);
        await CloseAsync().ConfigureAwait(false);
        await _gone.Task.WaitAsync(Timeout.InfiniteTimeSpan, CancellationToken.None).ConfigureAwait(false);
    }

    public void Dispose() => _ending.Dispose();

    private static PipeOptions Options(int most)
        => new(pauseWriterThreshold: most, resumeWriterThreshold: most / 2, useSynchronizationContext: false);

    // A client that takes nothing must not keep what is left for it.
    private void OnServerEnded()
    {
        _ending.CancelAfter(Grace);
        _gone.SetResult();
    }

    // Returns how to close.
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
                    // Answered with what it said (RFC 6455, section 5.5.1); 1005 stands for nothing and is never sent.
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
            // However it fails, the client's connection to the server must end.
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

            // The server has ended it, of itself or because nothing comes any more: the client has a while to answer the close frame
            // that says so.
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
                // Reads what is still coming, and throws it away: a reset would take the status with it.
                await _socket.CloseAsync(_status, _words, limit.Token).ConfigureAwait(false);
            }
            catch (Exception e) when (e is WebSocketException or OperationCanceledException or IOException)
            {
                // Gone, and told so in its own way.
            }
        }

        if (_socket.State != WebSocketState.Closed)
        {
            _socket.Abort();
        }
    }
}
