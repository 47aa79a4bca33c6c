namespace NetMQ;

/// <summary>The arguments of a queue's event.</summary>
/// <typeparam name="T">The type of the items.</typeparam>
public sealed class NetMQQueueEventArgs<T> : EventArgs
{
    internal NetMQQueueEventArgs(NetMQQueue<T> queue) => Queue = queue;

    /// <summary>The queue.</summary>
    public NetMQQueue<T> Queue { get; }
}
