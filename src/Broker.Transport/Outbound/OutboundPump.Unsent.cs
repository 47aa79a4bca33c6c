namespace Broker.Transport;

// Messages that are dropped, and messages that were not sent when the connection closed.
internal sealed partial class OutboundPump
{
    // How many bytes at the front may have been sent although they still count as queued. Under the lock of the queue.
    private long PossiblySent
    {
        get
        {
            long asyncSent = _right.IsAsyncSending && _layer is null && _queue.First is { } first
                ? Math.Min(first.Length, MaxAsyncSend)
                : 0;
            return Math.Max(_layer?.Encrypted ?? 0, asyncSent);
        }
    }

    /// <summary>Drops messages, see <see cref="OutboundQueue.Drop"/>. Any thread of the group.</summary>
    internal OutboundCount Drop(long bytes, IOutboundFraming framing, EventLoop loop)
    {
        lock (Gate)
        {
            if (_right.AcceptState >= AcceptState.Completed)
            {
                return default;
            }

            // While a sender has taken out the front of the queue, that front contains the encrypted bytes.
            bool isPartial = _right.IsTaken;
            OutboundCount dropped = _queue.Drop(
                bytes,
                isPartial ? 0 : _layer?.Encrypted ?? 0,
                _right.IsAsyncSending && _layer is null,
                isPartial,
                framing,
                loop);
            CheckLowWater();
            return dropped;
        }
    }

    /// <summary>
    /// Counts the messages that neither the peer nor the system can have completely. When no thread sends.
    /// </summary>
    internal OutboundCount CountCertainlyUnsent()
    {
        lock (Gate)
        {
            return _queue.CountBehind(PossiblySent, Framing);
        }
    }

    /// <summary>
    /// Counts all messages in the queue, and those that were dropped because of the limit. When no thread sends.
    /// </summary>
    internal OutboundCount CountUnsent()
    {
        lock (Gate)
        {
            return _queue.CountUnsent(Framing);
        }
    }

    /// <summary>
    /// Passes the messages that <see cref="CountCertainlyUnsent"/> counts to <paramref name="unsent"/>. When no thread
    /// sends.
    /// </summary>
    internal void VisitUnsent(IOutboundFraming framing, IUnsentMessages unsent)
    {
        lock (Gate)
        {
            _queue.VisitBehind(PossiblySent, framing, unsent);
        }
    }

    /// <summary>
    /// Whether bytes wait that can still be sent. In clear these are all pending bytes; with a security layer,
    /// ciphertext and the bytes that it can encrypt now.
    /// </summary>
    internal bool HasUnsent()
    {
        lock (Gate)
        {
            return _layer is null
                ? _queue.PendingBytes != 0
                : _layer.HasCiphertext || (_layer.IsSecured && _queue.PendingBytes != 0);
        }
    }
}
