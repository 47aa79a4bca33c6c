using Broker.Client.Publishing;
using Broker.Transport;

namespace Broker.Client;

// What became of each accepted message, in messages. While a link is in use: confirmed by a PONG that came behind it, or not
// yet. When a link has ended: confirmed, or not sent, or else unconfirmed. The sum is exact because the last is what is left.
public sealed partial class BrokerConnection
{
    private long _confirmed;
    private long _unconfirmed;

    // Written for a server and not sent.
    private long _lost;

    // Kept for a server that did not come, and requests that were given up before it came.
    private long _neverSent;

    // Of the links before: lost and unconfirmed.
    private long _settled;

    private Task _settling = Task.CompletedTask;

    /// <summary>Bytes for a link were discarded. Any thread.</summary>
    internal void CountDiscarded(Link link, ReadOnlySpan<byte> written)
    {
        long messages = WrittenCommand.Of(written);
        lock (_gate)
        {
            _lostBytes += written.Length;
            _lost += messages;
            if (link.IsSettled)
            {
                // A loop that was stopped came to it only now.
                _unconfirmed -= messages;
            }
        }
    }

    // Under the gate: how many messages were written for a server so far, by all.
    private long CountWritten()
    {
        long written = -_kept.Messages - _neverSent;
        foreach (ref OutboundCounter counter in _outbound.AsSpan())
        {
            written += Volatile.Read(ref counter.Messages);
        }

        return written;
    }

    // Under the gate: how many messages are certainly in the queue by now, so that a PING comes behind them.
    private long CountHandedOver(Link link)
    {
        EventLoop? current = CurrentLoop();
        long handedOver = _outbound[^1].Messages - _kept.Messages - _neverSent;
        for (int i = 0; i < _group.Count; i++)
        {
            if (_group[i] == current)
            {
                NoteHandedOver(link, current);
            }

            handedOver += Volatile.Read(ref _outbound[i].HandedOver);
        }

        return handedOver;
    }

    // On the loop.
    private void NoteHandedOver(Link? link, EventLoop loop)
    {
        if (link is not null && link.Transport.StagedBytes(loop) == 0)
        {
            ref OutboundCounter counter = ref _outbound[loop.Index];
            Volatile.Write(ref counter.HandedOver, counter.Messages);
        }
    }

    // Under the gate.
    private void Confirm(long through) => _confirmed = Math.Max(_confirmed, through - _settled);

    // The transport is gone. Loops that had the link in hand write to it until the end of their turn, and what they wrote is
    // discarded then; after that nobody writes to it any more.
    private async Task SettleAsync(Link link)
    {
        await InTimeAsync(HandOverAllAsync(), EndGrace).ConfigureAwait(false);
        lock (_gate)
        {
            _unconfirmed = CountWritten() - _confirmed - _lost;
            _settled = _lost + _unconfirmed;
            for (int i = 0; i < _group.Count; i++)
            {
                _outbound[i].HandedOver = _outbound[i].Messages;
            }

            link.IsSettled = true;
        }

        link.TellEnded();
    }
}
