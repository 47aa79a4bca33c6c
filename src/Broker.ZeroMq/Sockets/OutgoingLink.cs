using System.Net.Sockets;
using Broker.Transport;

namespace Broker.ZeroMq.Loops;

/// <summary>
/// Keeps a socket connected to one endpoint: connects, waits until the connection ends, waits for the reconnect
/// interval, and connects again.
/// </summary>
internal sealed class OutgoingLink : IDisposable
{
    // A connection that brought no message and ended within this time after its handshake counts as a failure.
    private static readonly TimeSpan ShortestUse = TimeSpan.FromSeconds(1);

    private readonly LoopSocket _socket;
    private readonly EventLoop _loop;
    private readonly System.Net.EndPoint? _address;
    private readonly InprocNames? _names;
    private readonly ZeroMqEndpoint _endpoint;
    private readonly CancellationTokenSource _stopping = new();
    private readonly CancellationToken _stopped;
    private string? _lastFailure;

    /// <param name="socket">The socket.</param>
    /// <param name="loop">The loop of the connection.</param>
    /// <param name="endpoint">The endpoint.</param>
    /// <param name="names">The names that contain an inproc endpoint; null for other endpoints.</param>
    internal OutgoingLink(LoopSocket socket, EventLoop loop, ZeroMqEndpoint endpoint, InprocNames? names)
    {
        _socket = socket;
        _loop = loop;
        _address = names is null ? endpoint.ToConnect() : null;
        _names = names;
        _endpoint = endpoint;
        _stopped = _stopping.Token;
        Endpoint = endpoint.ToString();
    }

    internal string Endpoint { get; }

    internal PeerSession? Session { get; private set; }

    /// <summary>
    /// The messages that wait for a connection to this endpoint; null if the socket type does not keep them.
    /// </summary>
    internal OutboundPipe? Pipe { get; set; }

    /// <summary>The routing id that a ROUTER gave the peer at this endpoint; null if the peer announces it.</summary>
    internal byte[]? RoutingId { get; init; }

    internal bool IsStopped => _stopped.IsCancellationRequested;

    private bool IsLoopStopped => !_loop.TryPost(static () => { });

    internal void Start() => _ = RunAsync();

    /// <summary>Stops connecting. The caller must close an existing connection.</summary>
    public void Dispose()
    {
        _stopping.Cancel();
        _stopping.Dispose();
    }

    /// <summary>
    /// Whether this failure differs from the previous one. Only such a failure is logged, so a peer that is unreachable
    /// for a day causes one log line.
    /// </summary>
    internal bool IsNewFailure(string reason)
    {
        bool news = !string.Equals(_lastFailure, reason, StringComparison.Ordinal);
        _lastFailure = reason;
        return news;
    }

    private async Task RunAsync()
    {
        TimeSpan wait = _socket.CommonOptions.ReconnectInitial;
        while (!IsStopped)
        {
            try
            {
                if (_names is { IsDisposed: true })
                {
                    _socket.RemoveLink(this);
                    return;
                }

                if (await ConnectOnceAsync().ConfigureAwait(false))
                {
                    _lastFailure = null;
                    if (Session!.WasUseful(wait > ShortestUse ? wait : ShortestUse))
                    {
                        wait = _socket.CommonOptions.ReconnectInitial;
                    }
                }

                if (_socket.CommonOptions.ReconnectInitial == Timeout.InfiniteTimeSpan)
                {
                    return;
                }

                TimeSpan delay = (wait * (1 - (Random.Shared.NextDouble() / 2))).Bounded();
                _stopped.ThrowIfCancellationRequested();
                _socket.ReportReconnect(Endpoint, delay);
                await Task.Delay(delay, _stopped).ConfigureAwait(false);
            }
            catch (OperationCanceledException) when (IsStopped)
            {
                return;
            }
            catch (ObjectDisposedException) when (IsLoopStopped)
            {
                return;
            }

            wait = wait < _socket.CommonOptions.ReconnectMax / 2 ? wait * 2 : _socket.CommonOptions.ReconnectMax;
        }
    }

    /// <summary>Runs one connection from the connect to its end. Returns whether its handshake was completed.</summary>
    private async Task<bool> ConnectOnceAsync()
    {
        PeerSession session = _socket.CreateSession(_loop, Endpoint, this);
        Session = session;
        try
        {
            await DialAsync(session).ConfigureAwait(false);
        }
        catch (SocketException e)
        {
            Fail(
                (_endpoint.Path is { } path ? IpcFault.OfConnecting(path, e.SocketErrorCode) : null)
                    ?? (e.SocketErrorCode == SocketError.ConnectionRefused ? "connection refused" : e.Message));
            return false;
        }
        catch (OperationCanceledException) when (!IsStopped)
        {
            Fail("no connection within the connect timeout");
            return false;
        }
        catch (Exception e) when (!IsStopped && e is not OutOfMemoryException && !IsLoopStopped)
        {
            // An address that the system or a name server rejects now may be valid later, so the link tries again.
            Fail(ZmtpErrors.Printable(e.Message));
            return false;
        }

        return await session.Ended.WaitAsync(_stopped).ConfigureAwait(false);
    }

    private async Task DialAsync(PeerSession session)
    {
        if (_names is not null)
        {
            await _names.ConnectAsync(_endpoint, _socket.InprocWindow, _loop, session, _stopped).ConfigureAwait(false);
            return;
        }

        using var limit = CancellationTokenSource.CreateLinkedTokenSource(_stopped);
        limit.CancelAfter((_socket.CommonOptions.ConnectTimeout ?? _socket.CommonOptions.HandshakeTimeout).Bounded());
        await Dialer.ConnectAsync(_loop, _address!, _endpoint.ToSource(), session, limit.Token).ConfigureAwait(false);
    }

    private void Fail(string reason)
    {
        if (IsNewFailure(reason))
        {
            _socket.Report(new ZeroMqEvent(ZeroMqEventKind.ConnectFailed, Endpoint, Endpoint, Peer: null, reason));
        }
    }
}
