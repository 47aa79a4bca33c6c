using Broker.Transport.Buffers;

namespace Broker.Transport.Outbound;

// What has not left at the end, as counts and as messages.
internal sealed partial class OutboundSender
{
    // Under the gate: how many bytes from the front may have been sent although they still count as queued.
    private long Doubtful
    {
        get
        {
            long lent = _state == SendState.Lent && _layer is null && _queue.First is { } first ? Math.Min(first.Length, MostToLend) : 0;
            return Math.Max(_layer?.Encrypted ?? 0, lent);
        }
    }

    /// <summary>Counts the messages of which neither the peer nor the system can have the end. When nobody sends.</summary>
    internal OutboundCount CountCertainlyUnsent(IOutboundFraming? framing)
    {
        lock (Gate)
        {
            return _queue.CountBehind(Doubtful, framing);
        }
    }

    /// <summary>Shows the messages that <see cref="CountCertainlyUnsent"/> counts. When nobody sends.</summary>
    internal void VisitUnsent(IOutboundFraming framing, IUnsentMessages unsent)
    {
        lock (Gate)
        {
            _queue.VisitBehind(Doubtful, framing, unsent);
        }
    }

    /// <summary>Empties a stage whose connection is closed. On the stage's loop.</summary>
    internal static void Discard(OutboundStage stage, IOutboundFraming framing, IUnsentMessages unsent)
    {
        StagedBlocks staged = stage.Detach();
        for (Block? at = staged.First; at is not null; at = at.Next)
        {
            Pieces.VisitUnsent(at, at.Start, framing, unsent);
        }

        Recycling.GiveAll(staged.First, stage.Connection.Loop);
    }

    /// <summary>In clear: all that was handed over. Over TLS: what can still leave, in one form or the other.</summary>
    internal bool HasUnsent()
    {
        lock (Gate)
        {
            return _layer is null ? _queue.PendingBytes != 0 : _layer.HasWire || (_layer.IsSecured && _queue.PendingBytes != 0);
        }
    }

    // Outside the gate: the handler may take locks of its own, under which others hand over.
    private void Discard(Block first, EventLoop? loop)
    {
        for (Block? at = first; at is not null; at = at.Next)
        {
            if (at.Length != 0)
            {
                _connection.TellDiscarded(at.Array.AsSpan(at.Start, at.Length));
            }
        }

        Recycling.GiveAll(first, loop);
    }
}
