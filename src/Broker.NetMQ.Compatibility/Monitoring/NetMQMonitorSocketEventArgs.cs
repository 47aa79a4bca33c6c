namespace NetMQ.Monitoring;

/// <summary>The arguments of a monitor's events about a connection or a listener.</summary>
public class NetMQMonitorSocketEventArgs : NetMQMonitorEventArgs
{
    internal NetMQMonitorSocketEventArgs(NetMQMonitor monitor, string address, SocketEvents socketEvent)
        : base(monitor, address, socketEvent)
    {
    }
}
