using NetMQ.Sockets;

namespace NetMQ.Monitoring;

/// <summary>
/// Reports the events of a socket's connections, from its start or its attachment to a poller on. The events wait in a
/// PAIR socket for the thread that raises them; events beyond its high-water mark are dropped.
/// </summary>
/// <remarks>The members are for one thread; only <see cref="Stop"/> may be called on any thread.</remarks>
public class NetMQMonitor : INetMQMonitor
{
    private readonly NetMQSocket _socket;
    private readonly bool _ownsSocket;
    private readonly Lock _gate = new();
    private INetMQPoller? _attached;
    private OwnPoller? _own;
    private bool _isDisposed;

    /// <summary>Creates a monitor of a socket.</summary>
    /// <param name="monitoredSocket">The socket to monitor, which stays open when the monitor is disposed.</param>
    /// <param name="endpoint">An inproc address, to which nothing else is bound.</param>
    /// <param name="eventsToMonitor">The events to report.</param>
    /// <exception cref="AddressAlreadyInUseException">The address is in use.</exception>
    /// <exception cref="ProtocolNotSupportedException">The address is not an inproc address.</exception>
    public NetMQMonitor(NetMQSocket monitoredSocket, string endpoint, SocketEvents eventsToMonitor)
        : this(new PairSocket(), endpoint, ownsSocket: true)
    {
        ArgumentNullException.ThrowIfNull(monitoredSocket);
        monitoredSocket.Monitor(endpoint, eventsToMonitor);
    }

    /// <summary>Creates a monitor of the socket for which <see cref="NetMQSocket.Monitor"/> was called.</summary>
    /// <param name="socket">A PAIR socket, which the monitor connects to the address when it starts.</param>
    /// <param name="endpoint">The address that was given to <see cref="NetMQSocket.Monitor"/>.</param>
    /// <param name="ownsSocket">Whether the disposal of the monitor disposes the PAIR socket.</param>
    public NetMQMonitor(NetMQSocket socket, string endpoint, bool ownsSocket = false)
    {
        ArgumentNullException.ThrowIfNull(socket);
        ArgumentNullException.ThrowIfNull(endpoint);
        Endpoint = endpoint;
        _ownsSocket = ownsSocket;
        _socket = socket;
        _socket.ReceiveReady += OnReady;
    }

    /// <summary>Raised for each event, before the event of its kind.</summary>
    public event EventHandler<NetMQMonitorEventArgs>? EventReceived;

    /// <summary>The socket has connected to a peer.</summary>
    public event EventHandler<NetMQMonitorSocketEventArgs>? Connected;

    /// <summary>The socket has begun to connect.</summary>
    public event EventHandler<NetMQMonitorErrorEventArgs>? ConnectDelayed;

    /// <summary>The socket waits before it connects again.</summary>
    public event EventHandler<NetMQMonitorIntervalEventArgs>? ConnectRetried;

    /// <summary>The socket accepts peers at an address.</summary>
    public event EventHandler<NetMQMonitorSocketEventArgs>? Listening;

    /// <summary>The socket could not bind an address.</summary>
    public event EventHandler<NetMQMonitorErrorEventArgs>? BindFailed;

    /// <summary>The socket has accepted a peer.</summary>
    public event EventHandler<NetMQMonitorSocketEventArgs>? Accepted;

    /// <summary>Never raised: an accept that fails concerns no peer.</summary>
    public event EventHandler<NetMQMonitorErrorEventArgs>? AcceptFailed;

    /// <summary>The socket no longer accepts peers at an address, or an attempt to connect has failed.</summary>
    public event EventHandler<NetMQMonitorSocketEventArgs>? Closed;

    /// <summary>Never raised: an address is closed without a failure.</summary>
    public event EventHandler<NetMQMonitorErrorEventArgs>? CloseFailed;

    /// <summary>The connection to a peer has ended.</summary>
    public event EventHandler<NetMQMonitorSocketEventArgs>? Disconnected;

    /// <summary>The address between the socket and the monitor.</summary>
    public string Endpoint { get; }

    /// <summary>Whether the monitor raises its events.</summary>
    public bool IsRunning
    {
        get
        {
            lock (_gate)
            {
                return _attached is not null || _own is not null;
            }
        }
    }

    /// <summary>Has no effect: the end of a monitor needs no wait.</summary>
    public TimeSpan Timeout { get; set; } = TimeSpan.FromMilliseconds(500);

    /// <summary>Raises the events on the thread of a poller.</summary>
    /// <exception cref="InvalidOperationException">The monitor is running.</exception>
    /// <exception cref="EndpointNotFoundException">No socket sends events to the address.</exception>
    public void AttachToPoller<T>(T poller)
        where T : INetMQPoller
    {
        ArgumentNullException.ThrowIfNull(poller);
        lock (_gate)
        {
            ThrowIfRunning();
            Connect();
            try
            {
                poller.Add(_socket);
            }
            catch
            {
                Disconnect();
                throw;
            }

            _attached = poller;
        }
    }

    /// <summary>Ends the use of a poller.</summary>
    /// <exception cref="InvalidOperationException">The monitor has no poller.</exception>
    public void DetachFromPoller()
    {
        INetMQPoller attached;
        lock (_gate)
        {
            attached = _attached ?? throw new InvalidOperationException("The monitor is not attached to a poller.");
            _attached = null;
        }

        Detach(attached);
    }

    /// <summary>Raises the events on the calling thread until the monitor is stopped.</summary>
    /// <exception cref="InvalidOperationException">The monitor is running.</exception>
    /// <exception cref="EndpointNotFoundException">No socket sends events to the address.</exception>
    public void Start() => Run(Begin());

    /// <summary>Raises the events on a thread of the monitor's own.</summary>
    /// <returns>A task that ends when the monitor is stopped.</returns>
    /// <exception cref="InvalidOperationException">The monitor is running.</exception>
    /// <exception cref="EndpointNotFoundException">No socket sends events to the address.</exception>
    public Task StartAsync()
    {
        OwnPoller own = Begin();
        return Task.Factory.StartNew(
            () => Run(own), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
    }

    /// <summary>
    /// Stops a monitor that was started. Waits until its thread has stopped, unless the caller is on that thread.
    /// </summary>
    /// <exception cref="InvalidOperationException">The monitor is attached to a poller.</exception>
    public void Stop()
    {
        OwnPoller? own;
        lock (_gate)
        {
            if (_attached is not null)
            {
                throw new InvalidOperationException("The monitor is attached to a poller: detach it.");
            }

            own = _own;
        }

        own?.Stop();
    }

    /// <summary>Ends the monitor. The monitored socket stays open.</summary>
    public void Dispose()
    {
        Dispose(disposing: true);
        GC.SuppressFinalize(this);
    }

    /// <summary>Ends the monitor.</summary>
    /// <param name="disposing">Whether <see cref="Dispose()"/> was called.</param>
    protected virtual void Dispose(bool disposing)
    {
        if (!disposing || _isDisposed)
        {
            return;
        }

        _isDisposed = true;
        INetMQPoller? attached;
        OwnPoller? own;
        lock (_gate)
        {
            attached = _attached;
            own = _own;
            _attached = null;
        }

        own?.Stop();
        if (attached is not null)
        {
            Detach(attached);
        }

        _socket.ReceiveReady -= OnReady;
        if (_ownsSocket)
        {
            _socket.Dispose();
        }
    }

    private OwnPoller Begin()
    {
        lock (_gate)
        {
            ThrowIfRunning();
            Connect();
            return _own = new OwnPoller(_socket);
        }
    }

    private void Run(OwnPoller own)
    {
        try
        {
            own.Run();
        }
        finally
        {
            Disconnect();
            lock (_gate)
            {
                _own = null;
            }

            own.Dispose();
        }
    }

    private void ThrowIfRunning()
    {
        if (_attached is not null || _own is not null)
        {
            throw new InvalidOperationException("The monitor is already running.");
        }
    }

    private void Detach(INetMQPoller attached)
    {
        try
        {
            if (!_socket.IsDisposed)
            {
                attached.Remove(_socket);
            }
        }
        catch (ObjectDisposedException)
        {
            // The poller was disposed before the monitor.
        }

        Disconnect();
    }

    private void Connect()
    {
        _socket.Connect(Endpoint);
        EventSender.Await(Endpoint, hasMonitor: true);
    }

    private void Disconnect()
    {
        try
        {
            _socket.Disconnect(Endpoint);
            EventSender.Await(Endpoint, hasMonitor: false);
        }
        catch (Exception failure) when (failure is ObjectDisposedException or EndpointNotFoundException)
        {
            // The program has disposed or disconnected the PAIR socket itself.
        }
    }

    private void OnReady(object? sender, NetMQSocketEventArgs e)
    {
        while (_socket.ReadyNow(PollEvents.PollIn) != PollEvents.None
            && _socket.TryReceiveFrameBytes(out byte[]? frame))
        {
            if (MonitoredEvent.TryDecode(frame, out MonitoredEvent happened))
            {
                Raise(happened);
            }
        }
    }

    private void Raise(in MonitoredEvent happened)
    {
        switch (happened.Kind)
        {
            case SocketEvents.ConnectRetried:
                var interval = new NetMQMonitorIntervalEventArgs(
                    this, happened.Address, happened.Detail, happened.Kind);
                EventReceived?.Invoke(this, interval);
                ConnectRetried?.Invoke(this, interval);
                break;
            case SocketEvents.ConnectDelayed or SocketEvents.BindFailed:
            case SocketEvents.AcceptFailed or SocketEvents.CloseFailed:
                var error = new NetMQMonitorErrorEventArgs(
                    this, happened.Address, (ErrorCode)happened.Detail, happened.Kind);
                EventReceived?.Invoke(this, error);
                ErrorHandlerOf(happened.Kind)?.Invoke(this, error);
                break;
            default:
                var socket = new NetMQMonitorSocketEventArgs(this, happened.Address, happened.Kind);
                EventReceived?.Invoke(this, socket);
                HandlerOf(happened.Kind)?.Invoke(this, socket);
                break;
        }
    }

    private EventHandler<NetMQMonitorErrorEventArgs>? ErrorHandlerOf(SocketEvents kind) => kind switch
    {
        SocketEvents.ConnectDelayed => ConnectDelayed,
        SocketEvents.BindFailed => BindFailed,
        SocketEvents.AcceptFailed => AcceptFailed,
        SocketEvents.CloseFailed => CloseFailed,
        _ => null,
    };

    private EventHandler<NetMQMonitorSocketEventArgs>? HandlerOf(SocketEvents kind) => kind switch
    {
        SocketEvents.Connected => Connected,
        SocketEvents.Listening => Listening,
        SocketEvents.Accepted => Accepted,
        SocketEvents.Closed => Closed,
        SocketEvents.Disconnected => Disconnected,
        _ => null,
    };
}
