using Broker.ZeroMq;

namespace NetMQ;

/// <summary>
/// A bound PAIR socket that sends the events of another socket to the monitor that is connected to it. Events are
/// dropped while no monitor is connected, and while the monitor leaves as many unread as the socket may queue.
/// </summary>
internal sealed class EventSender : IDisposable
{
    // The last events are sent within this time, although the socket that they are about is closed.
    private static readonly TimeSpan Linger = TimeSpan.FromSeconds(1);

    // Longer than the event loops need, unless another monitor is connected to the address.
    private static readonly TimeSpan LongestWait = TimeSpan.FromSeconds(5);

    // A Monitor is pulsed, which the type Lock does not offer.
    private readonly object _gate = new();
    private readonly string _address;
    private readonly SocketEvents _wanted;
    private readonly PairSocket _socket;
    private bool _hasMonitor;

    /// <summary>Binds the socket.</summary>
    /// <param name="address">The inproc address for the monitor.</param>
    /// <param name="wanted">The events to send.</param>
    /// <param name="context">The context of the monitored socket.</param>
    /// <exception cref="AddressAlreadyInUseException">The address is in use.</exception>
    internal EventSender(string address, SocketEvents wanted, ZeroMqContext context)
    {
        _address = address;
        _wanted = wanted;
        _socket = new PairSocket(new SocketSettings { OnEvent = Observe }.Fill(new ZeroMqSocketOptions()), context);
        try
        {
            SocketEndpoints.BindTo(_socket, address);
        }
        catch
        {
            _socket.Dispose();
            throw;
        }

        InprocBinders.Add(address, this);
    }

    /// <summary>
    /// Waits until the events of an address are sent to a monitor, or no longer are. They would be lost before.
    /// </summary>
    internal static void Await(string address, bool hasMonitor) => InprocBinders.FindSender(address)?.Await(hasMonitor);

    /// <summary>Sends an event if the monitor wants it. May be called on any thread, and does not wait.</summary>
    internal void Send(in MonitoredEvent happened)
    {
        if (!_wanted.HasFlag(happened.Kind))
        {
            return;
        }

        try
        {
            _ = _socket.TrySend(happened.Encode(), TimeSpan.Zero);
        }
        catch (ObjectDisposedException)
        {
            // The socket was closed meanwhile.
        }
    }

    /// <summary>Releases the address. The events that were sent before still reach the monitor.</summary>
    public void Dispose()
    {
        InprocBinders.Remove(_address, this);
        _ = _socket.CloseAsync(Linger);
        _socket.Dispose();
    }

    private void Await(bool hasMonitor)
    {
        lock (_gate)
        {
            while (_hasMonitor != hasMonitor && !_socket.IsClosed && Monitor.Wait(_gate, LongestWait))
            {
            }
        }
    }

    private void Observe(ZeroMqEvent happened)
    {
        if (happened.Kind is ZeroMqEventKind.PeerConnected or ZeroMqEventKind.PeerDisconnected)
        {
            lock (_gate)
            {
                _hasMonitor = happened.Kind == ZeroMqEventKind.PeerConnected;
                Monitor.PulseAll(_gate);
            }
        }
    }
}
