namespace Broker.Transport;

/// <summary>Who gets messages that a connection could not send any more.</summary>
public interface IUnsentMessages
{
    /// <summary>One whole message, borrowed until the return.</summary>
    void Add(ReadOnlySpan<byte> message);
}
