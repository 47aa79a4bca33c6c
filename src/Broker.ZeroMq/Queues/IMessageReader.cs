namespace Broker.ZeroMq.Queues;

/// <summary>Reads a message that is taken out of a queue. Implement it as a struct, so that the call is direct.</summary>
internal interface IMessageReader
{
    /// <summary>Copies what it wants. It must not wait, and what it throws leaves the message where it is.</summary>
    /// <param name="message">The whole message, encoded. Borrowed until the return.</param>
    /// <param name="source">Whom it came from.</param>
    /// <returns>False to leave the message where it is.</returns>
    bool TryRead(ReadOnlySpan<byte> message, ReceiveSource source);
}
