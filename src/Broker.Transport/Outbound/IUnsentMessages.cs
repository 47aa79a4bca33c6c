namespace Broker.Transport;

/// <summary>Receives the messages that a connection can no longer send.</summary>
public interface IUnsentMessages
{
    /// <summary>Adds one whole message. The memory is borrowed until the method returns.</summary>
    void Add(ReadOnlySpan<byte> message);

    /// <summary>
    /// Adds one whole message whose first part was sent. The peer may have received this part. This message comes
    /// before all other messages. By default, it is added like the other messages.
    /// </summary>
    void AddPartlySent(ReadOnlySpan<byte> message) => Add(message);
}
