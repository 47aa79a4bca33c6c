using System.Collections.Concurrent;
using Broker.ZeroMq;

namespace NetMQ;

/// <summary>
/// Reports the events of one socket's connections to its monitor, as NetMQ names them. They come on any thread.
/// </summary>
internal sealed class SocketEventFeed : IDisposable
{
    // The endpoints whose connection has ended, until the socket waits to connect to them again.
    private readonly ConcurrentDictionary<string, bool> _lost = new(StringComparer.Ordinal);

    // The endpoints that the program has disconnected from. NetMQ does not report the end of such a connection.
    private readonly ConcurrentDictionary<string, bool> _left = new(StringComparer.Ordinal);
    private EventSender? _monitor;

    /// <summary>Sends the events to a monitor from now on, and no longer to the one before.</summary>
    internal void SendTo(EventSender monitor) => Interlocked.Exchange(ref _monitor, monitor)?.Dispose();

    /// <summary>Reports an event of an address. An inproc address has no events, as in NetMQ.</summary>
    internal void Report(SocketEvents kind, string address, int detail = 0)
    {
        if (Volatile.Read(ref _monitor) is { } monitor && !EndpointAddress.IsInproc(address))
        {
            monitor.Send(new MonitoredEvent(kind, address, detail));
        }
    }

    /// <summary>Reports an event of the socket of Broker.ZeroMq.</summary>
    internal void Observe(ZeroMqEvent happened)
    {
        string endpoint = happened.Endpoint;
        switch (happened.Kind)
        {
            case ZeroMqEventKind.Listening:
                Report(SocketEvents.Listening, endpoint);
                break;
            case ZeroMqEventKind.PeerConnected:
                Report(happened.Peer!.IsOutgoing ? SocketEvents.Connected : SocketEvents.Accepted, endpoint);
                break;
            case ZeroMqEventKind.PeerDisconnected when happened.Peer!.IsOutgoing && _left.TryRemove(endpoint, out _):
                break;
            case ZeroMqEventKind.PeerDisconnected or ZeroMqEventKind.PeerRefused:
                _lost[endpoint] = true;
                Report(SocketEvents.Disconnected, endpoint);
                break;
        }
    }

    /// <summary>
    /// Reports that the socket waits before it connects again, because a connection has ended or an attempt has failed.
    /// </summary>
    internal void ObserveReconnect(string endpoint, TimeSpan wait)
    {
        // In NetMQ the system's socket of an attempt that failed is reported as closed.
        if (!_lost.TryRemove(endpoint, out _))
        {
            Report(SocketEvents.Closed, endpoint);
        }

        int milliseconds = (int)Math.Min(Math.Ceiling(wait.TotalMilliseconds), int.MaxValue);
        Report(SocketEvents.ConnectRetried, endpoint, milliseconds);
        ReportConnecting(endpoint);
    }

    /// <summary>Called before the socket connects to an address.</summary>
    internal void OnConnecting(string address)
    {
        _left.TryRemove(address, out _);
        ReportConnecting(address);
    }

    /// <summary>Called before the socket disconnects from an address.</summary>
    internal void OnDisconnecting(string address)
    {
        if (Volatile.Read(ref _monitor) is not null)
        {
            _left[address] = true;
        }
    }

    /// <summary>Ends the reports.</summary>
    public void Dispose() => Interlocked.Exchange(ref _monitor, null)?.Dispose();

    private void ReportConnecting(string address)
        => Report(SocketEvents.ConnectDelayed, address, (int)ErrorCode.InProgress);
}
