namespace Broker.Transport;

// As with TLS, but without a handshake here: the protocol has had its own.
public abstract partial class Connection
{
    /// <summary>
    /// From now on <paramref name="cipher"/> turns written bytes into records and opens received records. The
    /// connection disposes the cipher. Call it once, on the loop, in <see cref="ConnectionHandler.OnReceived"/> or
    /// from an action posted to the loop.
    /// </summary>
    /// <remarks>
    /// Bytes that this loop wrote before the call, and bytes that were flushed before it, leave unchanged and ahead of
    /// the first record. Received bytes that the handler has not consumed are treated as records, including those that
    /// the current call leaves. If the cipher rejects a record, the connection closes with <see
    /// cref="CloseReason.Error"/>.
    /// </remarks>
    /// <exception cref="InvalidOperationException">
    /// The caller is not on the loop, or the connection has TLS or a cipher already.
    /// </exception>
    /// <exception cref="NotSupportedException">
    /// The connection is an in-process link, which carries no bytes out of the process.
    /// </exception>
    public void StartRecords(RecordCipher cipher)
    {
        ArgumentNullException.ThrowIfNull(cipher);
        if (!Loop.IsCurrent || Layer is not null)
        {
            throw new InvalidOperationException("Records are started once, on the connection's loop, and not over TLS.");
        }

        if (!CanCarryLayers)
        {
            throw new NotSupportedException("An in-process link does not carry records.");
        }

        if (!IsOpen)
        {
            cipher.Dispose();
            return;
        }

        if (_writeBuffers[Loop.Index] is { Length: > 0 } buffer)
        {
            FlushBuffer(buffer, Loop);
        }

        _outbound.Insert(new RecordLayer(this, cipher));
        OnLayerInserted();

        // Posted behind the action that passes the handler's unconsumed bytes to the cipher.
        Loop.Post(EnableRecords);
    }

    private void EnableRecords()
    {
        if (IsOpen && Layer is { IsSecured: false } layer)
        {
            _outbound.Secure();
            _outbound.Resume(Loop);
            OnLayerSecured(layer);
        }
    }
}
