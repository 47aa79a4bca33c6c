namespace NetMQ.Monitoring;

/// <summary>Reports the events of a socket's connections.</summary>
public interface INetMQMonitor : IDisposable
{
    /// <summary>Raised for each event, before the event of its kind.</summary>
    event EventHandler<NetMQMonitorEventArgs>? EventReceived;

    /// <summary>The socket has connected to a peer.</summary>
    event EventHandler<NetMQMonitorSocketEventArgs>? Connected;

    /// <summary>The socket has begun to connect.</summary>
    event EventHandler<NetMQMonitorErrorEventArgs>? ConnectDelayed;

    /// <summary>The socket waits before it connects again.</summary>
    event EventHandler<NetMQMonitorIntervalEventArgs>? ConnectRetried;

    /// <summary>The socket accepts peers at an address.</summary>
    event EventHandler<NetMQMonitorSocketEventArgs>? Listening;

    /// <summary>The socket could not bind an address.</summary>
    event EventHandler<NetMQMonitorErrorEventArgs>? BindFailed;

    /// <summary>The socket has accepted a peer.</summary>
    event EventHandler<NetMQMonitorSocketEventArgs>? Accepted;

    /// <summary>Never raised: an accept that fails concerns no peer.</summary>
    event EventHandler<NetMQMonitorErrorEventArgs>? AcceptFailed;

    /// <summary>The socket no longer accepts peers at an address, or an attempt to connect has failed.</summary>
    event EventHandler<NetMQMonitorSocketEventArgs>? Closed;

    /// <summary>Never raised: an address is closed without a failure.</summary>
    event EventHandler<NetMQMonitorErrorEventArgs>? CloseFailed;

    /// <summary>The connection to a peer has ended.</summary>
    event EventHandler<NetMQMonitorSocketEventArgs>? Disconnected;

    /// <summary>The address between the socket and the monitor.</summary>
    string Endpoint { get; }

    /// <summary>Whether the monitor raises its events.</summary>
    bool IsRunning { get; }

    /// <summary>Has no effect: the end of a monitor needs no wait.</summary>
    TimeSpan Timeout { get; set; }

    /// <summary>Raises the events on the thread of a poller.</summary>
    void AttachToPoller<T>(T poller)
        where T : INetMQPoller;

    /// <summary>Ends the use of a poller.</summary>
    void DetachFromPoller();

    /// <summary>Raises the events on the calling thread until the monitor is stopped.</summary>
    void Start();

    /// <summary>Raises the events on a thread of the monitor's own.</summary>
    /// <returns>A task that ends when the monitor is stopped.</returns>
    Task StartAsync();

    /// <summary>Stops the monitor.</summary>
    void Stop();
}
