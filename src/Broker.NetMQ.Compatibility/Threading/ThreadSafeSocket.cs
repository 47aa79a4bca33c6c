using Broker.ZeroMq;

namespace NetMQ;

/// <summary>
/// A socket whose members may be called on any thread at any time: CLIENT, SERVER, RADIO, DISH, SCATTER or GATHER. Its
/// messages have one frame. It cannot be polled.
/// </summary>
public abstract class ThreadSafeSocket : IThreadSafeSocket, IDisposable
{
    private readonly ZeroMqContext _context = SharedContext.Current;
    private readonly Lock _gate = new();
    private readonly SocketEndpoints _endpoints = new(new SocketEventFeed());
    private readonly InprocSettling _settling;
    private StartedSocket? _started;
    private ThreadSafeFrames? _spare;
    private volatile bool _isDisposed;

    /// <summary>Creates a socket.</summary>
    /// <param name="socketType">One of the six types.</param>
    /// <exception cref="InvalidException">The type is none of them.</exception>
    protected ThreadSafeSocket(ZmqSocketType socketType)
    {
        Pattern = ThreadSafePattern.For(socketType);
        Settings = new SocketSettings { Linger = TimeSpan.FromMilliseconds(-1) };
        Options = new ThreadSafeSocketOptions(this);
        _settling = new InprocSettling(_context);
    }

    /// <summary>The options. Set them before the first bind or connect; a later change has no effect.</summary>
    public ThreadSafeSocketOptions Options { get; }

    /// <summary>Whether the socket is disposed.</summary>
    public bool IsDisposed => _isDisposed;

    internal SocketSettings Settings { get; }

    internal string? LastEndpoint => _endpoints.Last;

    internal ThreadSafePattern Pattern { get; }

    /// <inheritdoc/>
    public virtual bool TrySend(ref Msg msg, TimeSpan timeout)
    {
        if (!msg.IsInitialised)
        {
            throw new FaultException();
        }

        if (!Pattern.Sends)
        {
            throw new NotSupportedException("Sockets of this type do not send.");
        }

        byte[]? head = Pattern.HeadOf(msg);
        if (_isDisposed)
        {
            return false;
        }

        SendHalf half = Started.Send!;
        bool isSent;
        if (head is null)
        {
            isSent = half.TrySend(msg.Content, SocketSettings.Limit(timeout));
        }
        else
        {
            using ZeroMqMessage message = new ZeroMqMessage(head).Append(msg.Content);
            isSent = half.TrySend(message, SocketSettings.Limit(timeout));
        }

        return isSent && OnSent(ref msg);
    }

    /// <inheritdoc/>
    public virtual bool TryReceive(ref Msg msg, TimeSpan timeout, CancellationToken cancellationToken = default)
    {
        if (!msg.IsInitialised)
        {
            throw new FaultException();
        }

        if (!Pattern.Receives)
        {
            throw new NotSupportedException("Sockets of this type do not receive.");
        }

        if (_isDisposed || cancellationToken.IsCancellationRequested)
        {
            return false;
        }

        ThreadSafeFrames frames = Rent();
        bool waits = cancellationToken.CanBeCanceled && timeout != TimeSpan.Zero;
        bool isReceived = TryReceiveNext(frames, waits ? TimeSpan.Zero : SocketSettings.Limit(timeout))
            || (waits && TryReceiveCancelled(frames, SocketSettings.Limit(timeout), cancellationToken));
        msg.Close();
        if (isReceived)
        {
            MoveTo(frames, ref msg);
        }
        else
        {
            msg.InitEmpty();
            Return(frames);
        }

        return isReceived;
    }

    /// <summary>Accepts peers at an address, such as <c>tcp://*:5555</c> or <c>inproc://name</c>.</summary>
    /// <exception cref="AddressAlreadyInUseException">The address is in use.</exception>
    public void Bind(string address)
    {
        EndpointAddress.Check(address);
        StartedSocket started = Started;
        lock (_gate)
        {
            _endpoints.Bind(started, address);
        }
    }

    /// <summary>Binds to a free port of an address without a port, such as <c>tcp://*</c>.</summary>
    /// <returns>The port.</returns>
    public int BindRandomPort(string address)
    {
        ArgumentNullException.ThrowIfNull(address);
        EndpointAddress.RequireTcp(address);
        Bind(address + ":0");
        return EndpointAddress.PortOf(LastEndpoint!);
    }

    /// <summary>Connects to an address, and reconnects when the connection is lost.</summary>
    /// <exception cref="EndpointNotFoundException">No socket has bound the inproc address.</exception>
    public void Connect(string address)
    {
        EndpointAddress.Check(address);
        StartedSocket started = Started;
        lock (_gate)
        {
            _endpoints.Connect(started, address);
        }

        Settle();
    }

    /// <summary>Ends what <see cref="Connect"/> began.</summary>
    /// <exception cref="EndpointNotFoundException">The socket is not connected to the address.</exception>
    public void Disconnect(string address)
    {
        EndpointAddress.Check(address);
        StartedSocket started = Started;
        lock (_gate)
        {
            _endpoints.Disconnect(started, address);
        }
    }

    /// <summary>Ends what <see cref="Bind"/> began. Connected peers stay connected.</summary>
    /// <exception cref="EndpointNotFoundException">The socket has not bound the address.</exception>
    public void Unbind(string address)
    {
        EndpointAddress.Check(address);
        StartedSocket started = Started;
        lock (_gate)
        {
            _endpoints.Unbind(started, address);
        }
    }

    /// <summary>Closes the socket, as its disposal does.</summary>
    public void Close() => Dispose();

    /// <summary>
    /// Closes the socket. Messages that wait are sent for up to the linger time, for which
    /// <see cref="NetMQConfig.Cleanup"/> waits.
    /// </summary>
    public void Dispose()
    {
        Dispose(disposing: true);
        GC.SuppressFinalize(this);
    }

    /// <summary>Closes the socket.</summary>
    /// <param name="disposing">Whether <see cref="Dispose()"/> was called.</param>
    protected virtual void Dispose(bool disposing)
    {
        lock (_gate)
        {
            if (!disposing || _isDisposed)
            {
                return;
            }

            _isDisposed = true;
        }

        Settle();
        _endpoints.ReleaseNames();
        if (_started is { } started)
        {
            _ = started.Socket.CloseAsync(SocketSettings.Limit(Settings.Linger));
            started.Socket.Dispose();
        }
    }

    /// <summary>The socket of Broker.ZeroMq, which this call creates if necessary.</summary>
    /// <exception cref="ObjectDisposedException">The socket is disposed.</exception>
    internal StartedSocket Started
    {
        get
        {
            lock (_gate)
            {
                ObjectDisposedException.ThrowIf(_isDisposed, this);
                return _started ??= Pattern.Create(Settings, _context);
            }
        }
    }

    /// <summary>Sends a message without blocking the thread. The message is closed afterwards.</summary>
    internal async ValueTask SendAsync(Msg msg)
    {
        byte[]? head = Pattern.HeadOf(msg);
        using var message = new ZeroMqMessage();
        if (head is not null)
        {
            message.Append(head);
        }

        message.Append(msg.Content);
        msg.Close();
        await Started.Send!.SendAsync(message, CancellationToken.None).ConfigureAwait(false);
        OnSent();
    }

    /// <summary>Receives a message without blocking the thread.</summary>
    internal async ValueTask<Msg> ReceiveAsync(CancellationToken cancellationToken)
    {
        ThreadSafeFrames frames = Rent();
        await Started.Receive!.ReceiveAsync(frames.Waited, cancellationToken).ConfigureAwait(false);
        frames.TakeWaited();
        Msg msg = default;
        MoveTo(frames, ref msg);
        return msg;
    }

    /// <summary>Lets a change reach the sockets of this process that it concerns.</summary>
    internal void Settle()
    {
        if (_endpoints.UsesInproc)
        {
            SharedContext.Settle(_context);
        }
    }

    private bool TryReceiveNext(ThreadSafeFrames frames, TimeSpan timeout)
    {
        ReceiveHalf half = Started.Receive!;
        return half.TryReceive(frames, timeout)
            || (timeout == TimeSpan.Zero && _endpoints.UsesInproc && _settling.HasSettled()
                && half.TryReceive(frames, timeout));
    }

    private bool TryReceiveCancelled(ThreadSafeFrames frames, TimeSpan timeout, CancellationToken cancellationToken)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(timeout);
        try
        {
#pragma warning disable VSTHRD002 // The call blocks its thread, as the caller asks; the loops need no thread of it.
            Started.Receive!.ReceiveAsync(frames.Waited, limit.Token).AsTask().GetAwaiter().GetResult();
#pragma warning restore VSTHRD002
            frames.TakeWaited();
            return true;
        }
        catch (OperationCanceledException)
        {
            return false;
        }
    }

    private bool OnSent(ref Msg msg)
    {
        msg.Close();
        msg.InitEmpty();
        OnSent();
        return true;
    }

    private void OnSent()
    {
        if (_endpoints.UsesInproc)
        {
            InprocTraffic.Add();
        }
    }

    private void MoveTo(ThreadSafeFrames frames, ref Msg msg)
    {
        frames.MoveTo(ref msg);
        Pattern.TakeHead(frames.Head, ref msg);
        Return(frames);
    }

    private ThreadSafeFrames Rent() => Interlocked.Exchange(ref _spare, null) ?? new ThreadSafeFrames();

    private void Return(ThreadSafeFrames frames)
    {
        if (Interlocked.CompareExchange(ref _spare, frames, null) is not null)
        {
            frames.Dispose();
        }
    }
}
