using Broker.Bridge;
using Broker.ZeroMq;
using NetMQ;

namespace Broker.NetMQ;

/// <summary>
/// The attachment of a NetMQ socket to a route. The socket stays with its program and its poller: the attachment adds
/// handlers to the socket's events, which run on the poller's thread.
/// </summary>
/// <remarks>
/// <para>
/// While the socket is attached, the program must not receive from a socket whose messages go to the route, and must
/// not send on a socket that gets messages from the route. Apart from that it uses its socket as before.
/// </para>
/// <para>
/// An error inside the attachment removes it from the socket and raises <see cref="Error"/>. It never ends the process.
/// NetMQ itself ends the process if a socket is disposed while its poller runs, whether it is attached or not: remove
/// the socket from the poller first, or stop the poller.
/// </para>
/// <para>All members may be called on any thread.</para>
/// </remarks>
public sealed class NetMQAttachment : IAsyncDisposable
{
    private readonly ZeroMqBridge _bridge;
    private readonly MessageSocket _socket;
    private readonly Pump? _incoming;
    private readonly Pump? _outgoing;
    private readonly Func<CancellationToken, Task> _passLast;
    private readonly Exchange? _exchange;
    private string? _route;
    private Task? _disposed;
    private long _pauses;
    private int _hasFailed;
    private volatile bool _isPaused;

    internal NetMQAttachment(ZeroMqBridge bridge, NetMQPoller poller, NetMQAttachmentOptions options, Func<NetMQAttachment, AttachmentParts> create)
    {
        _bridge = bridge;
        Thread = new PollerThread(poller);
        Options = options;
        AttachmentParts parts = create(this);
        _socket = parts.Socket;
        _incoming = parts.Incoming;
        _outgoing = parts.Outgoing;
        _passLast = parts.PassLast;
        _exchange = parts.Exchange;
    }

    /// <summary>
    /// Raised on the thread that found an error. <see cref="IsAttached"/> tells whether the error has ended the
    /// attachment; an item of a queue that cannot be encoded does not. An exception of a handler is ignored.
    /// </summary>
    public event EventHandler<NetMQAttachmentErrorEventArgs>? Error;

    /// <summary>
    /// Raised on the poller's thread when the attachment pauses its NetMQ socket because the route takes no messages,
    /// and when it resumes the socket; see <see cref="IsPaused"/>. An exception of a handler is ignored.
    /// </summary>
    public event EventHandler? PausedChanged;

    /// <summary>The options of the attachment.</summary>
    public NetMQAttachmentOptions Options { get; }

    /// <summary>Whether the attachment has not ended.</summary>
    public bool IsAttached { get; private set; } = true;

    /// <summary>
    /// Whether the NetMQ socket is paused: the route has taken no messages, and
    /// <see cref="NetMQAttachmentOptions.HighWaterBytes"/> or <see cref="NetMQAttachmentOptions.HighWaterMark"/> is
    /// reached. The programs behind the socket then wait at their own high-water marks.
    /// </summary>
    public bool IsPaused
    {
        get => _isPaused;
        internal set
        {
            if (_isPaused != value)
            {
                _isPaused = value;
                Raise(static (attachment, _) => attachment.PausedChanged?.Invoke(attachment, EventArgs.Empty), null);
            }
        }
    }

    /// <summary>
    /// The name of the route that was added with the attachment; null for an attachment to an endpoint.
    /// </summary>
    public string? RouteName => _route;

    /// <summary>The thread of the poller.</summary>
    internal PollerThread Thread { get; }

    /// <summary>Whether an incoming message must wait because of <see cref="WhileServerAway.Wait"/>.</summary>
    internal bool MustWaitForServer => Options.WhileServerAway == WhileServerAway.Wait && !_bridge.IsConnected;

    /// <summary>Whether an incoming message that the route does not take may be dropped.</summary>
    internal bool MayDrop => Options.WhileServerAway == WhileServerAway.Drop && !_bridge.IsConnected;

    /// <summary>Returns the counters of the attachment.</summary>
    public NetMQAttachmentSnapshot GetSnapshot() => new()
    {
        FromNetMQ = _incoming?.Taken ?? 0,
        ToRoute = _incoming?.Passed ?? 0,
        FromRoute = _outgoing?.Taken ?? 0,
        ToNetMQ = _outgoing?.Passed ?? 0,
        Dropped = (_incoming?.Dropped ?? 0) + (_outgoing?.Dropped ?? 0),
        Pauses = Volatile.Read(ref _pauses),
        IsPaused = _isPaused,
    };

    /// <summary>
    /// Removes the attachment from its socket. When the method returns, no handler of the attachment runs or will run.
    /// Messages that the attachment has taken and not passed on wait for <see cref="DisposeAsync"/>.
    /// </summary>
    /// <exception cref="TimeoutException">
    /// The poller's thread was busy for longer than <see cref="NetMQAttachmentOptions.DetachTimeout"/>.
    /// </exception>
    public void Detach()
    {
        if (!TryStop(_incoming) | !TryStop(_outgoing))
        {
            throw new TimeoutException(
                $"The poller's thread was busy for longer than {Options.DetachTimeout}, so that the socket is still attached.");
        }

        IsAttached = false;
    }

    /// <summary>
    /// Ends the attachment: stops receiving from the NetMQ socket, waits for up to
    /// <see cref="NetMQAttachmentOptions.Linger"/> in each direction until the messages in the attachment are passed
    /// on, and removes the route that was added with the attachment. The NetMQ socket stays open. May be called before
    /// or after the poller, the socket and the bridge are disposed.
    /// </summary>
    public ValueTask DisposeAsync() => new(_disposed ??= DisposeCoreAsync());

    /// <summary>Attaches the handlers when the poller runs its next iteration.</summary>
    internal void Start(string? route)
    {
        _route = route;
        Post(() =>
        {
            try
            {
                _incoming?.Start();
                _outgoing?.Start();
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                Fail(e);
            }
        });
    }

    /// <summary>Runs an action on the poller's thread. Called on any thread.</summary>
    internal void Post(Action action)
    {
        if (!Thread.TryPost(action) && IsAttached)
        {
            End(new ObjectDisposedException(nameof(NetMQPoller), "The poller of an attached socket was disposed."));
        }
    }

    /// <summary>Counts a pause. Called on the poller's thread.</summary>
    internal void CountPause()
    {
        Volatile.Write(ref _pauses, _pauses + 1);
        IsPaused = true;
    }

    /// <summary>Removes the attachment because of an error. Called on the poller's thread.</summary>
    internal void Fail(Exception error)
    {
        try
        {
            _incoming?.Stop();
            _outgoing?.Stop();
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            // NetMQ refuses changes of a socket that is being closed. Such a socket calls no handlers.
        }

        End(error);
    }

    /// <summary>Raises <see cref="Error"/>. Called on any thread.</summary>
    internal void Report(Exception error)
        => Raise(static (attachment, error) => attachment.Error?.Invoke(attachment, new NetMQAttachmentErrorEventArgs(error!)), error);

    private void End(Exception error)
    {
        IsAttached = false;
        if (Interlocked.Exchange(ref _hasFailed, 1) == 0)
        {
            Report(error);
        }
    }

    private void Raise(Action<NetMQAttachment, Exception?> handlers, Exception? error)
    {
        try
        {
            handlers(this, error);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            // The caller may be NetMQ's poller, which would end the process.
        }
    }

    private bool TryStop(Pump? pump) => pump is null || Thread.TryInvoke(
        () =>
        {
            try
            {
                pump.Stop();
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                Fail(e);
            }
        },
        Options.DetachTimeout);

    private async Task DisposeCoreAsync()
    {
        await Task.Yield();
        bool stopped = TryStop(_incoming);
        if (stopped)
        {
            using var limit = new CancellationTokenSource(Options.Linger);
            await _passLast(limit.Token).ConfigureAwait(false);
        }

        // A socket that only sends can be closed first, and lingers until the route has its messages.
        if (_outgoing is null)
        {
            await _socket.CloseAsync(Options.Linger).ConfigureAwait(false);
        }

        if (_route is not null)
        {
            await _bridge.RemoveRouteAsync(_route, Options.Linger).ConfigureAwait(false);
        }

        await WaitUntilSentAsync().ConfigureAwait(false);
        stopped &= TryStop(_outgoing);
        _incoming?.Dispose();
        _outgoing?.Dispose();
        await _socket.CloseAsync(TimeSpan.Zero).ConfigureAwait(false);
        _exchange?.Dispose();
        IsAttached = false;
        if (!stopped)
        {
            Report(new TimeoutException($"The poller's thread was busy for longer than {Options.DetachTimeout}."));
        }
    }

    // The NetMQ socket may never take the rest.
    private async Task WaitUntilSentAsync()
    {
        long end = Environment.TickCount64 + (long)Options.Linger.TotalMilliseconds;
        while (_outgoing is { IsEmpty: false } && IsAttached && Thread.IsRunning && Environment.TickCount64 < end)
        {
            await Task.Delay(5).ConfigureAwait(false);
        }
    }
}
