namespace Broker.NetMQ;

/// <summary>What an attachment does with the messages of its NetMQ socket while no NATS server is connected.</summary>
public enum WhileServerAway
{
    /// <summary>
    /// What the pattern of the route does. PUB/SUB drops and counts the messages, or keeps as many bytes as the
    /// connection's <c>ReconnectBufferSize</c> if its <c>WhileDisconnected</c> is <c>Buffer</c>. All other patterns
    /// wait: the attachment receives until <see cref="NetMQAttachmentOptions.HighWaterBytes"/> are queued, and then
    /// pauses the socket.
    /// </summary>
    AsRoute,

    /// <summary>The attachment pauses the socket at once, for every pattern.</summary>
    Wait,

    /// <summary>
    /// The attachment receives and drops what the route does not take, so that the programs that send to the socket
    /// never wait for the server. Dropped messages are counted.
    /// </summary>
    Drop,
}
