namespace Broker.Transport;

/// <summary>
/// Finds the boundaries of a protocol's messages in written bytes, so that the transport can drop and count whole
/// messages without knowing the protocol. Used only when messages are dropped or could not be sent.
/// </summary>
public interface IOutboundFraming
{
    /// <summary>Measures the first unit: a message, or something else such as a reply.</summary>
    /// <param name="written">
    /// Written bytes that begin at the start of a unit and end at the end of one; never empty. The first unit may be
    /// the first that the connection ever sent. Borrowed, under a lock of the connection: the method must neither wait
    /// nor write to a connection.
    /// </param>
    /// <param name="isMessage">Whether the unit is a message, which may be dropped and is counted.</param>
    /// <returns>
    /// The unit's length in bytes. Any value out of range means that the method does not understand the bytes: they
    /// are all kept and not counted.
    /// </returns>
    int Measure(ReadOnlySpan<byte> written, out bool isMessage);
}
