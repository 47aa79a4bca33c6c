namespace Broker.Client.Publishing;

/// <summary>
/// Writes a message's headers and body straight into the outbound bytes. Implement it as a struct: the publish that
/// takes it is generic over it, and the call is then direct.
/// </summary>
public interface IPayloadWriter
{
    /// <summary>
    /// Fills <paramref name="payload"/>, which has exactly the announced length: the header block, if there is one, and
    /// the body. All of it must be written: the memory is reused and holds older bytes. It is borrowed until the
    /// return, and nothing may be published meanwhile. What is thrown goes to the caller of the publish, and no message is sent.
    /// </summary>
    void Write(Span<byte> payload);
}
