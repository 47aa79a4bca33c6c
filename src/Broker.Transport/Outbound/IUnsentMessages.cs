namespace Broker.Transport;

/// <summary>Receives the messages that a connection could no longer send.</summary>
public interface IUnsentMessages
{
    /// <summary>Adds one whole message, borrowed until the return.</summary>
    void Add(ReadOnlySpan<byte> message);

    /// <summary>
    /// Adds one whole message whose first part was sent; the peer may have received that part. It comes before all
    /// others. By default it is added as the others.
    /// </summary>
    void AddPartlySent(ReadOnlySpan<byte> message) => Add(message);
}
