namespace NetMQ;

/// <summary>The arguments of a timer's event.</summary>
public class NetMQTimerEventArgs : EventArgs
{
    /// <summary>Creates arguments for a timer.</summary>
    public NetMQTimerEventArgs(NetMQTimer timer) => Timer = timer;

    /// <summary>The timer.</summary>
    public NetMQTimer Timer { get; }
}
