namespace Broker.Transport;

/// <summary>
/// Where the messages of a protocol begin and end in what this side wrote: so the transport can drop and count whole ones without
/// knowing the protocol. Looked at only when messages are dropped or could not be sent.
/// </summary>
public interface IOutboundFraming
{
    /// <summary>Measures the first piece, a message or something else such as an answer.</summary>
    /// <param name="written">
    /// What writers wrote, from the start of a piece on and to the end of one; never empty. It may be the first that the connection
    /// ever sent. Borrowed, under the connection's lock: the method must neither wait nor write to a connection.
    /// </param>
    /// <param name="isMessage">Whether it is a message: what may be dropped, and is counted.</param>
    /// <returns>Its length in bytes. Anything out of range means the rest is not understood: it is kept and not counted.</returns>
    int Measure(ReadOnlySpan<byte> written, out bool isMessage);
}
