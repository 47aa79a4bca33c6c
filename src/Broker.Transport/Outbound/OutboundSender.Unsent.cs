using Broker.Transport.Buffers;

namespace Broker.Transport.Outbound;

// What has not left at the end, as counts and as messages.
internal sealed partial class OutboundSender
{
    // Under the gate: how many bytes from the front may have been sent although they still count as queued.
    private long PossiblySent
    {
        get
        {
            long lent = _state == SendState.AsyncSending && _layer is null && _queue.First is { } first ? Math.Min(first.Length, MaxAsyncSend) : 0;
            return Math.Max(_layer?.Encrypted ?? 0, lent);
        }
    }

    /// <summary>Counts the messages of which neither the peer nor the system can have the end. When nobody sends.</summary>
    internal OutboundCount CountCertainlyUnsent(IOutboundFraming? framing)
    {
        lock (Gate)
        {
            return _queue.CountBehind(PossiblySent, framing);
        }
    }

    /// <summary>Shows the messages that <see cref="CountCertainlyUnsent"/> counts. When nobody sends.</summary>
    internal void VisitUnsent(IOutboundFraming framing, IUnsentMessages unsent)
    {
        lock (Gate)
        {
            _queue.VisitBehind(PossiblySent, framing, unsent);
        }
    }

    /// <summary>Empties a stage whose connection is closed. On the stage's loop.</summary>
    internal static void Discard(LoopWriteBuffer buffer, IOutboundFraming framing, IUnsentMessages unsent)
    {
        FlushedBlocks staged = buffer.TakeBlocks();
        for (Block? at = staged.First; at is not null; at = at.Next)
        {
            MessageBoundaries.VisitUnsent(at, at.Start, framing, unsent);
        }

        BlockPools.ReturnAll(staged.First, buffer.Connection.Loop);
    }

    /// <summary>In clear: all that was handed over. Over TLS: what can still leave, in one form or the other.</summary>
    internal bool HasUnsent()
    {
        lock (Gate)
        {
            return _layer is null ? _queue.PendingBytes != 0 : _layer.HasCiphertext || (_layer.IsSecured && _queue.PendingBytes != 0);
        }
    }

    // Outside the gate: the handler may take locks of its own, under which others hand over.
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
