namespace Broker.Client;

/// <summary>
/// Writes the headers and the body of a message directly into the outbound buffer. Implement it as a struct: the
/// publish method is generic, so the call is then direct.
/// </summary>
public interface IPayloadWriter
{
    /// <summary>
    /// Fills <paramref name="payload"/> with the header block, if there is one, and the body. The span has exactly the
    /// length that the caller announced, and all of it must be written, because the memory is reused and contains old
    /// bytes. The span is valid until the method returns, and nothing may be published before that. If the method
    /// throws, the caller of the publish gets the exception and no message is sent.
    /// </summary>
    void Write(Span<byte> payload);
}
