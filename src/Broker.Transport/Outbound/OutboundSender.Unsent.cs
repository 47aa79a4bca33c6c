namespace Broker.Transport;

// The messages that were not sent when the connection closed: their number and their bytes.
internal sealed partial class OutboundSender
{
    // How many bytes at the front may have been sent although they still count as queued. Under the lock of the queue.
    private long PossiblySent
    {
        get
        {
            long asyncSent = _state == SendState.AsyncSending && _layer is null && _queue.First is { } first ? Math.Min(first.Length, MaxAsyncSend) : 0;
            return Math.Max(_layer?.Encrypted ?? 0, asyncSent);
        }
    }

    /// <summary>
    /// Counts the messages that neither the peer nor the system can have completely. When no thread sends.
    /// </summary>
    internal OutboundCount CountCertainlyUnsent(IOutboundFraming? framing)
    {
        lock (Gate)
        {
            return _queue.CountBehind(PossiblySent, framing);
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

    /// <summary>Empties a write buffer of a closed connection. On the buffer's loop.</summary>
    internal static void Discard(LoopWriteBuffer buffer, IOutboundFraming framing, IUnsentMessages unsent)
    {
        FlushedBlocks flushed = buffer.TakeBlocks();
        for (Block? at = flushed.First; at is not null; at = at.Next)
        {
            MessageBoundaries.VisitUnsent(at, at.Start, framing, unsent);
        }

        BlockPools.ReturnAll(flushed.First, buffer.Connection.Loop);
    }

    /// <summary>
    /// Whether bytes wait that can still be sent. In clear these are all pending bytes; with a security layer,
    /// ciphertext and the bytes that it can encrypt now.
    /// </summary>
    internal bool HasUnsent()
    {
        lock (Gate)
        {
            return _layer is null ? _queue.PendingBytes != 0 : _layer.HasCiphertext || (_layer.IsSecured && _queue.PendingBytes != 0);
        }
    }

    // Outside the lock of the queue: the handler may take locks of its own, and other threads flush while they own
    // those locks.
    private void Discard(Block first, EventLoop? loop)
    {
        for (Block? at = first; at is not null; at = at.Next)
        {
            if (at.Length != 0)
            {
                _connection.NotifyDiscarded(at.Array.AsSpan(at.Start, at.Length));
            }
        }

        BlockPools.ReturnAll(first, loop);
    }
}
