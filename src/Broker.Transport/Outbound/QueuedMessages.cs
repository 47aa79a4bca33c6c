namespace Broker.Transport;

/// <summary>
/// The messages in a connection's queue. The methods drop the oldest messages, and count or return the messages that
/// were not sent when the connection closed. Each method takes the lock of the queue.
/// </summary>
internal sealed class QueuedMessages(OutboundPump pump)
{
    /// <summary>Finds the boundaries of messages in the queue; null if the protocol has none.</summary>
    internal IOutboundFraming? Framing { get; set; }

    // The number of bytes at the front that may have been sent although they still count as queued. The caller holds
    // the lock of the queue.
    private long PossiblySent
    {
        get
        {
            long asyncSent = pump.Right.IsAsyncSending && pump.Layer is null && pump.Queue.First is { } first
                ? Math.Min(first.Length, OutboundPump.MaxAsyncSend)
                : 0;
            return Math.Max(pump.Layer?.Encrypted ?? 0, asyncSent);
        }
    }

    /// <summary>Drops messages, see <see cref="OutboundQueue.Drop"/>. Any thread of the group.</summary>
    internal OutboundCount Drop(long bytes, EventLoop loop)
    {
        ArgumentNullException.ThrowIfNull(loop);
        if (Framing is not { } framing)
        {
            return default;
        }

        lock (pump.Queue.Gate)
        {
            if (pump.Right.AcceptState >= AcceptState.Completed)
            {
                return default;
            }

            // If a sender has taken the front of the queue out, the encrypted bytes are in that front.
            bool isPartial = pump.Right.IsTaken;
            OutboundCount dropped = pump.Queue.Drop(
                bytes,
                isPartial ? 0 : pump.Layer?.Encrypted ?? 0,
                pump.Right.IsAsyncSending && pump.Layer is null,
                isPartial,
                framing,
                loop);
            pump.Marks.CheckLowWater();
            return dropped;
        }
    }

    /// <summary>
    /// Counts the messages that neither the peer nor the system can have completely. Must be called when no thread
    /// sends.
    /// </summary>
    internal OutboundCount CountCertainlyUnsent()
    {
        lock (pump.Queue.Gate)
        {
            return pump.Queue.CountBehind(PossiblySent, Framing);
        }
    }

    /// <summary>
    /// Counts all messages in the queue, and the messages that were dropped because of the limit. Must be called when
    /// no thread sends.
    /// </summary>
    internal OutboundCount CountUnsent()
    {
        lock (pump.Queue.Gate)
        {
            return pump.Queue.CountUnsent(Framing);
        }
    }

    /// <summary>
    /// Passes the messages that <see cref="CountCertainlyUnsent"/> counts to <paramref name="unsent"/>. Must be called
    /// when no thread sends.
    /// </summary>
    internal void VisitUnsent(IOutboundFraming framing, IUnsentMessages unsent)
    {
        lock (pump.Queue.Gate)
        {
            pump.Queue.VisitBehind(PossiblySent, framing, unsent);
        }
    }
}
