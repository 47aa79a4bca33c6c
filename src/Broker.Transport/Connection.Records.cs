using Broker.Transport.Wire;

namespace Broker.Transport;

// As with TLS, but there is no handshake below the protocol: it has had its own.
public abstract partial class Connection
{
    /// <summary>
    /// From now on what is written leaves as records of <paramref name="cipher"/>, and what comes is opened by it. The connection disposes
    /// it. Call it on the loop, once, in <see cref="ConnectionHandler.OnReceived"/> or from an action posted to the loop.
    /// </summary>
    /// <remarks>
    /// What this loop has staged before the call, and what was handed over, leaves as it is, ahead of the first record. Received bytes
    /// that the handler has not consumed, including those that the call under way does not consume, are records. A record that is refused
    /// closes the connection with <see cref="CloseReason.Error"/>.
    /// </remarks>
    /// <exception cref="InvalidOperationException">Not on the loop, or there is TLS or another cipher already.</exception>
    /// <exception cref="NotSupportedException">An in-process link, which carries no bytes out of the process.</exception>
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

        if (_stages[Loop.Index] is { Length: > 0 } stage)
        {
            TakeOver(stage, Loop);
        }

        _outbound.Insert(new RecordLayer(this, cipher));
        OnLayerInserted();

        // Posted like what takes over the bytes that the handler leaves, and behind it.
        Loop.Post(CarryRecords);
    }

    private void CarryRecords()
    {
        if (IsOpen && Layer is { IsSecured: false } layer)
        {
            _outbound.Secure();
            _outbound.Resume(Loop);
            OnLayerSecured(layer);
        }
    }
}
