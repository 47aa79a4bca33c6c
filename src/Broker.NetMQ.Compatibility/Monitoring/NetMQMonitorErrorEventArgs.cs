namespace NetMQ.Monitoring;

/// <summary>The arguments of a monitor's events that have an error.</summary>
public class NetMQMonitorErrorEventArgs : NetMQMonitorEventArgs
{
    /// <summary>Creates arguments.</summary>
    public NetMQMonitorErrorEventArgs(
        NetMQMonitor monitor, string address, ErrorCode errorCode, SocketEvents socketEvent)
        : base(monitor, address, socketEvent)
        => ErrorCode = errorCode;

    /// <summary>The reason.</summary>
    public ErrorCode ErrorCode { get; }
}
