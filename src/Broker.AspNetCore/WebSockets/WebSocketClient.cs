using System.Buffers;
using System.IO.Pipelines;
using System.Net;
using System.Net.WebSockets;
using Broker.Server;
using Broker.Server.Monitoring;
using Broker.Transport;

namespace Broker.AspNetCore.WebSockets;

/// <summary>
/// One client that comes by WebSocket: its messages, binary or text, are the bytes of a link within the process, and what comes
/// back is binary. Where messages begin and end means nothing to NATS.
/// </summary>
/// <remarks>
/// Towards the server at most <see cref="MostInbound"/> bytes are under way before the socket is read on; towards the client as many
/// as the server lets wait for any other client, and then it is closed.
/// </remarks>
internal sealed class WebSocketClient : ConnectionHandler, IDisposable
{
    private const int ReadSize = 16 * 1024;
    private const int SendSize = 64 * 1024;
    private const long MostInbound = 1024 * 1024;

    // Smaller messages grow when they are compressed.
    private const int LeastToCompress = 64;

    private static readonly TimeSpan Grace = TimeSpan.FromSeconds(2);

    private readonly BrokerServer _server;
    private readonly WebSocket _socket;
    private readonly long _maxMessage;
    private readonly long _maxPending;
    private readonly CancellationTokenSource _ending = new();
    private readonly Pipe _outbound = new(new PipeOptions(pauseWriterThreshold: 0, resumeWriterThreshold: 0, useSynchronizationContext: false));
    private readonly TaskCompletionSource _gone = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private TaskCompletionSource? _drained;
    private WebSocketCloseStatus _status = WebSocketCloseStatus.NormalClosure;
    private string? _words;
    private long _queued;
    private volatile bool _closed;

    internal WebSocketClient(BrokerServer server, WebSocket socket, long maxMessage)
    {
        _server = server;
        _socket = socket;
        _maxMessage = maxMessage;
        _maxPending = server.Inspect().MaxPending;
    }

    /// <summary>Returns when the client has gone.</summary>
    internal async Task RunAsync(EndPoint? remote, CancellationToken aborted)
    {
        using CancellationTokenRegistration registration = aborted.UnsafeRegister(static s => ((WebSocketClient)s!)._ending.Cancel(), this);
        Connection connection = _server.ConnectInProcess(_server.Loops.Next(), this, remote, ClientTransport.WebSocket);
        Task sending = SendAllAsync();
        _status = await ReceiveAllAsync(connection).ConfigureAwait(false);
        // What the client published before it closed is handled yet.
        connection.Close(Grace);
        _ending.CancelAfter(Grace);
        await sending.ConfigureAwait(false);
        await CloseAsync().ConfigureAwait(false);
        // The loop may still be calling.
        await _gone.Task.WaitAsync(Timeout.InfiniteTimeSpan, CancellationToken.None).ConfigureAwait(false);
    }

    public override int OnReceived(Connection connection, ReadOnlySpan<byte> bytes, ref int needed)
    {
        if (_ending.IsCancellationRequested)
        {
            return bytes.Length;
        }

        if (Interlocked.Add(ref _queued, bytes.Length) > _maxPending)
        {
            // A slow consumer: what it was to get goes with it.
            _ending.Cancel();
            connection.Close();
            return bytes.Length;
        }

        _outbound.Writer.Write(bytes);
        // Never waits: the pipe has no threshold.
        _ = _outbound.Writer.FlushAsync().AsTask();
        return bytes.Length;
    }

    public override void OnDrained(Connection connection) => Interlocked.Exchange(ref _drained, null)?.TrySetResult();

    public override void OnClosed(Connection connection, CloseReason reason, Exception? error)
    {
        _closed = true;
        _outbound.Writer.Complete();
        OnDrained(connection);
        _gone.SetResult();
    }

    public void Dispose() => _ending.Dispose();

    // Returns how to close.
    private async Task<WebSocketCloseStatus> ReceiveAllAsync(Connection connection)
    {
        byte[] buffer = ArrayPool<byte>.Shared.Rent(ReadSize);
        long message = 0;
        try
        {
            while (true)
            {
                ValueWebSocketReceiveResult got = await _socket.ReceiveAsync(buffer.AsMemory(), _ending.Token).ConfigureAwait(false);
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
                connection.ExternalStage.Write(buffer.AsSpan(0, got.Count));
                connection.FlushExternal();
                await DrainAsync(connection).ConfigureAwait(false);
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
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    private async ValueTask DrainAsync(Connection connection)
    {
        if (connection.PendingBytes <= MostInbound)
        {
            return;
        }

        var drained = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Volatile.Write(ref _drained, drained);
        // Whatever still waits goes after this is set, and then says so.
        if (connection.PendingBytes != 0 && !_closed)
        {
            await drained.Task.WaitAsync(_ending.Token).ConfigureAwait(false);
        }
    }

    private async Task SendAllAsync()
    {
        try
        {
            ReadResult read;
            do
            {
                read = await _outbound.Reader.ReadAsync(_ending.Token).ConfigureAwait(false);
                foreach (ReadOnlyMemory<byte> segment in read.Buffer)
                {
                    for (int at = 0; at < segment.Length; at += SendSize)
                    {
                        ReadOnlyMemory<byte> some = segment.Slice(at, Math.Min(SendSize, segment.Length - at));
                        await SendAsync(some).ConfigureAwait(false);
                    }
                }

                _outbound.Reader.AdvanceTo(read.Buffer.End);
                Interlocked.Add(ref _queued, -read.Buffer.Length);
            }
            while (!read.IsCompleted);

            // The server has ended it: the client has a while to answer the close frame that says so.
            await _socket.CloseOutputAsync(_status, _words, _ending.Token).ConfigureAwait(false);
            _ending.CancelAfter(Grace);
        }
        catch (Exception e) when (e is WebSocketException or OperationCanceledException or IOException or ObjectDisposedException)
        {
            await _ending.CancelAsync().ConfigureAwait(false);
        }
        finally
        {
            await _outbound.Reader.CompleteAsync().ConfigureAwait(false);
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
