namespace Broker.Transport;

/// <summary>Receives the messages that a connection could no longer send.</summary>
public interface IUnsentMessages
{
    /// <summary>Adds one whole message, borrowed until the return.</summary>
    void Add(ReadOnlySpan<byte> message);
}
