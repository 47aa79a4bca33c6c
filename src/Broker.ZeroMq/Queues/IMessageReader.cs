namespace Broker.ZeroMq;

/// <summary>
/// Reads a message that is taken from a queue. Implement it as a struct, so that its methods are called directly and
/// not through the interface.
/// </summary>
internal interface IMessageReader
{
    /// <summary>
    /// Copies the parts of the message that the reader needs. The method must not block. If it throws, the message
    /// stays in the queue.
    /// </summary>
    /// <param name="message">The whole message, encoded. It is valid until the method returns.</param>
    /// <param name="source">The source of the message.</param>
    /// <returns>False to leave the message in the queue.</returns>
    bool TryRead(ReadOnlySpan<byte> message, ReceiveSource source);
}
