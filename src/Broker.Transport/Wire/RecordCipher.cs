namespace Broker.Transport;

/// <summary>
/// Encrypts the bytes that a protocol writes into records, and decrypts received records. This is for a protocol that
/// has its own encryption, which begins in the middle of a connection (<see cref="Connection.StartRecords"/>).
/// </summary>
/// <remarks>
/// <para>A plaintext is the content of one record before it is encrypted. Plaintexts are sealed on the thread that
/// sends, in the order in which they are sent. Records are opened on the connection's loop. Both may happen at the same
/// time, so the two directions must not share mutable state.</para>
/// <para>The handler and the queue see only plaintexts: the handler gets received bytes as if there were no cipher, and
/// the queue stores and counts plain bytes.</para>
/// </remarks>
public abstract class RecordCipher : IDisposable
{
    /// <summary>Measures the first plaintext of the written bytes, which becomes one record.</summary>
    /// <param name="written">One or more whole plaintexts. The memory is borrowed until the method returns.</param>
    /// <param name="recordSize">Receives the length of the record.</param>
    /// <returns>The length of the plaintext, above 0.</returns>
    public abstract int MeasurePlaintext(ReadOnlySpan<byte> written, out int recordSize);

    /// <summary>Encrypts a plaintext into its record. Both spans are valid until the method returns.</summary>
    /// <param name="plaintext">The plaintext, with the length that <see cref="MeasurePlaintext"/> returned.</param>
    /// <param name="record">
    /// The space for the record, with the record size that <see cref="MeasurePlaintext"/> returned. The spans do not
    /// overlap.
    /// </param>
    public abstract void Seal(ReadOnlySpan<byte> plaintext, Span<byte> record);

    /// <summary>Measures the record at the start of <paramref name="received"/>.</summary>
    /// <returns>
    /// The length of the record, if the received bytes are enough to know it. Otherwise the number of bytes that are
    /// necessary to know it. So the result is larger than the received length unless a record is complete. A negative
    /// result rejects the peer and closes the connection. The method must limit the result, because the transport
    /// collects this number of bytes.
    /// </returns>
    public abstract int MeasureRecord(ReadOnlySpan<byte> received);

    /// <summary>Authenticates a complete record. <see cref="Read"/> then returns its content.</summary>
    /// <returns>The length of the plaintext. A negative result rejects the peer and closes the connection.</returns>
    public abstract int Open(ReadOnlySpan<byte> record);

    /// <summary>Writes the next part of the plaintext. Called again until the whole plaintext was read.</summary>
    /// <param name="record">The opened record. It may be at another place in memory than before.</param>
    /// <param name="destination">
    /// The space for this part. It is at most as long as the unread rest of the plaintext.
    /// </param>
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
