namespace NetMQ.Monitoring;

/// <summary>The arguments of a monitor's events that have a time.</summary>
public class NetMQMonitorIntervalEventArgs : NetMQMonitorEventArgs
{
    /// <summary>Creates arguments.</summary>
    public NetMQMonitorIntervalEventArgs(NetMQMonitor monitor, string address, int interval, SocketEvents socketEvent)
        : base(monitor, address, socketEvent)
        => Interval = interval;

    /// <summary>How long the socket waits, in milliseconds.</summary>
    public int Interval { get; }
}
