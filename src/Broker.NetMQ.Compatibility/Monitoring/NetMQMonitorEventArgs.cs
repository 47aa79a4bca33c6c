namespace NetMQ.Monitoring;

/// <summary>The arguments of a monitor's events.</summary>
public abstract class NetMQMonitorEventArgs : EventArgs
{
    /// <summary>Creates arguments.</summary>
    protected NetMQMonitorEventArgs(NetMQMonitor monitor, string address, SocketEvents socketEvent)
    {
        Monitor = monitor;
        Address = address;
        SocketEvent = socketEvent;
    }

    /// <summary>The monitor.</summary>
    public NetMQMonitor Monitor { get; }

    /// <summary>The address that the event is about.</summary>
    public string Address { get; }

    /// <summary>The event.</summary>
    public SocketEvents SocketEvent { get; }
}
