namespace Broker.Transport;

/// <summary>
/// Finds the boundaries of a protocol's messages in written bytes. So the transport can drop and count whole messages
/// without knowing the protocol. Used only when messages are dropped or could not be sent.
/// </summary>
public interface IOutboundFraming
{
    /// <summary>Measures the first unit of the bytes. A unit is a message, or something else such as a reply.</summary>
    /// <param name="written">
    /// Written bytes that begin at the start of a unit and end at the end of a unit. They are never empty. The first
    /// unit may be the first unit that the connection ever sent. The bytes are borrowed under a lock of the connection,
    /// so the method must not wait and must not write to a connection.
    /// </param>
    /// <param name="isMessage">Whether the unit is a message. Only messages may be dropped and are counted.</param>
    /// <returns>
    /// The unit's length in bytes. If the method does not understand the bytes, it returns a value that is 0, negative
    /// or larger than the number of bytes. All of these bytes are then kept and not counted.
    /// </returns>
    int Measure(ReadOnlySpan<byte> written, out bool isMessage);
}
