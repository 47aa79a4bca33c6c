namespace Broker.Transport;

/// <summary>
/// Encrypts what a protocol writes into records, and decrypts records: for protocols that have their own encryption,
/// which begins in the middle of a connection (<see cref="Connection.StartRecords"/>).
/// </summary>
/// <remarks>
/// <para>Plaintexts are sealed on the thread that sends, when they are sent and in that order. Records are opened on
/// the connection's loop. Both may run at the same time, so the two directions must not share mutable state.</para>
/// <para>The handler and the queue see plaintexts only: the handler gets received bytes as if there were no cipher,
/// and the queue stores and counts plain bytes.</para>
/// </remarks>
public abstract class RecordCipher : IDisposable
{
    /// <summary>Measures the first plaintext, which becomes one record.</summary>
    /// <param name="written">Whole plaintexts, at least one. Borrowed.</param>
    /// <param name="recordSize">The length of the record.</param>
    /// <returns>The length of the plaintext, above 0.</returns>
    public abstract int MeasurePlaintext(ReadOnlySpan<byte> written, out int recordSize);

    /// <summary>Encrypts a plaintext into its record. Both spans are valid until the method returns.</summary>
    /// <param name="plaintext">The plaintext, with the length that <see cref="MeasurePlaintext"/> returned.</param>
    /// <param name="record">
    /// The space for the record, with the length that <see cref="MeasurePlaintext"/> set. The two do not overlap.
    /// </param>
    public abstract void Seal(ReadOnlySpan<byte> plaintext, Span<byte> record);

    /// <summary>Measures the record at the start of <paramref name="received"/>.</summary>
    /// <returns>
    /// The length of the record as soon as it can be read. Before that, the number of bytes that are needed to read
    /// it. So the result is larger than the received length unless a record is complete. A negative result rejects the
    /// peer and closes the connection. The result must be bounded, because the transport collects that many bytes.
    /// </returns>
    public abstract int MeasureRecord(ReadOnlySpan<byte> received);

    /// <summary>Authenticates a complete record. <see cref="Read"/> then returns its content.</summary>
    /// <returns>The length of the plaintext. A negative result rejects the peer and closes the connection.</returns>
    public abstract int Open(ReadOnlySpan<byte> record);

    /// <summary>Writes the next part of the plaintext. Called until all of it was read.</summary>
    /// <param name="record">The opened record, possibly at another place in memory.</param>
    /// <param name="destination">The space for this part, at most as long as the unread rest of the plaintext.</param>
    public abstract void Read(ReadOnlySpan<byte> record, Span<byte> destination);

    /// <summary>Wipes the keys. Called once, after all other methods, when the connection is closed.</summary>
    public void Dispose()
    {
        Dispose(disposing: true);
        GC.SuppressFinalize(this);
    }

    /// <summary>Wipes the keys.</summary>
    protected abstract void Dispose(bool disposing);
}
