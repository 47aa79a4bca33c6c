namespace Broker.Client;

/// <summary>What happens to messages that are published while no server is connected.</summary>
public enum PublishWhileDisconnected
{
    /// <summary>
    /// The messages are buffered up to <see cref="ClientOptions.ReconnectBufferSize"/> and sent to the next server in
    /// order.
    /// </summary>
    Buffer,

    /// <summary>The messages are counted and discarded.</summary>
    Drop,

    /// <summary>The messages are refused with <see cref="PublishStatus.NotConnected"/>.</summary>
    Refuse,
}
