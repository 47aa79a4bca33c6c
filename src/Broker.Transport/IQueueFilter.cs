namespace Broker.Transport;

/// <summary>Decides what of a connection's queue may be let go; see <see cref="Connection.DropOldest{TFilter}"/>.</summary>
public interface IQueueFilter
{
    /// <summary>
    /// Moves what must be kept to the front and returns how many bytes that is. Called under the connection's lock: it must
    /// neither wait nor write to a connection.
    /// </summary>
    /// <param name="written">Whole pieces, as a writer asked <see cref="OutboundStage.GetSpan"/> for them; none of it was sent.</param>
    int Keep(Span<byte> written);
}
