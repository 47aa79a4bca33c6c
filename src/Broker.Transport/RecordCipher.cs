namespace Broker.Transport;

/// <summary>
/// Turns what a protocol writes into encrypted records and records back: for protocols whose encryption is their own and begins in the
/// middle of a connection (<see cref="Connection.StartRecords"/>).
/// </summary>
/// <remarks>
/// <para>Pieces are sealed in the order in which they leave, when they leave, by whichever thread sends; records are opened on the
/// connection's loop. One of each may run at the same time, so the two directions share nothing that changes.</para>
/// <para>Both sides of a connection are made of pieces in their plain form: the handler is given them as if there were no cipher, and the
/// queue holds and counts them.</para>
/// </remarks>
public abstract class RecordCipher : IDisposable
{
    /// <summary>Measures the first piece of what was written: what becomes one record.</summary>
    /// <param name="written">Whole pieces, at least one. Borrowed.</param>
    /// <param name="recordSize">Length of its record.</param>
    /// <returns>Length of the piece, above 0.</returns>
    public abstract int MeasurePlaintext(ReadOnlySpan<byte> written, out int recordSize);

    /// <summary>Writes the record of a piece. Neither may be touched after the return.</summary>
    /// <param name="plaintext">As <see cref="MeasurePlaintext"/> measured it.</param>
    /// <param name="record">As long as that said. The two do not overlap.</param>
    public abstract void Seal(ReadOnlySpan<byte> plaintext, Span<byte> record);

    /// <summary>Measures the record that <paramref name="received"/> begins with.</summary>
    /// <returns>
    /// Its length as soon as that is visible, else how many bytes must be there to say more, in either case above what is there or the
    /// length of a record that is complete; negative to refuse the peer, which closes the connection. What is returned must be bounded:
    /// so many bytes are collected.
    /// </returns>
    public abstract int MeasureRecord(ReadOnlySpan<byte> received);

    /// <summary>Checks a complete record. <see cref="Read"/> then gives out what is in it.</summary>
    /// <returns>Length of the plain piece; negative to refuse the peer, which closes the connection.</returns>
    public abstract int Open(ReadOnlySpan<byte> record);

    /// <summary>Writes the next part of the plain piece. Called until all of it was read.</summary>
    /// <param name="record">The record that was opened, maybe at another place in memory.</param>
    /// <param name="destination">At most as long as what is left of the piece.</param>
    public abstract void Read(ReadOnlySpan<byte> record, Span<byte> destination);

    /// <summary>The connection is over: keys are wiped. Once, when nothing else is called any more.</summary>
    public void Dispose()
    {
        Dispose(disposing: true);
        GC.SuppressFinalize(this);
    }

    /// <summary>Wipes keys.</summary>
    protected abstract void Dispose(bool disposing);
}
