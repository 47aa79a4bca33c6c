using System.Runtime.CompilerServices;
using Broker.Transport;

namespace Broker.Client.Publishing;

/// <summary>
/// What became of each accepted message, in messages. While a server is in use: confirmed by a PONG that came behind it, or not
/// yet. When it has been lost: confirmed, or not sent, or else unconfirmed. The sum is exact because the last is what is left.
/// </summary>
internal sealed class OutboundAccount(ConnectionCore core)
{
    private readonly OutboundCounter[] _counters = new OutboundCounter[core.Group.Count + 1];
    private long _confirmed;

    // Of the servers before: lost and unconfirmed.
    private long _settled;

    // Written for a server and not sent.
    private long _unsent;

    /// <summary>Where the messages of a loop are counted, on that loop.</summary>
    internal ref OutboundCounter Of(EventLoop loop) => ref _counters[loop.Index];

    /// <summary>Where those of all other threads are counted, under the gate.</summary>
    internal ref OutboundCounter External
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => ref _counters[^1];
    }

    /// <summary>Messages that were accepted and not sent. Under the gate.</summary>
    internal long Lost => _unsent + core.Replay.NeverSent;

    /// <summary>Messages that were sent and may have arrived. Under the gate.</summary>
    internal long Unconfirmed { get; private set; }

    /// <summary>Under the gate.</summary>
    internal long LostBytes { get; private set; }

    /// <summary>Completes when all is counted that was written for the last server that was lost.</summary>
    internal Task Settling { get; private set; } = Task.CompletedTask;

    /// <summary>All that was accepted, so far. Any thread.</summary>
    internal (long Messages, long Bytes) Accepted
    {
        get
        {
            long messages = 0;
            long bytes = 0;
            foreach (ref OutboundCounter counter in _counters.AsSpan())
            {
                messages += Volatile.Read(ref counter.Messages);
                bytes += Volatile.Read(ref counter.Bytes);
            }

            return (messages, bytes);
        }
    }

    /// <summary>Runs an action when <paramref name="loop"/> has handed over what it has written so far. On any thread, for that loop.</summary>
    internal static void AfterHandOver(EventLoop loop, Action action)
        // What is posted while events are handled runs before the end of the turn; what is posted then runs in the next turn.
        => loop.Post(() => loop.Post(action));

    /// <summary>Bytes for a link were discarded. Any thread.</summary>
    internal void CountDiscarded(Link link, ReadOnlySpan<byte> written)
    {
        long messages = WrittenCommand.Of(written);
        lock (core.Gate)
        {
            LostBytes += written.Length;
            _unsent += messages;
            if (link.IsSettled)
            {
                // A loop that was stopped came to it only now.
                Unconfirmed -= messages;
            }
        }
    }

    /// <summary>How many messages are certainly in the queue by now, so that a PING comes behind them. Under the gate.</summary>
    internal long CountHandedOver(Link link)
    {
        EventLoop? current = core.CurrentLoop();
        long handedOver = External.Messages - core.Replay.Messages - core.Replay.NeverSent;
        for (int i = 0; i < core.Group.Count; i++)
        {
            if (core.Group[i] == current)
            {
                NoteHandedOver(link, current);
            }

            handedOver += Volatile.Read(ref _counters[i].HandedOver);
        }

        return handedOver;
    }

    /// <summary>The server has dealt with so many. Under the gate.</summary>
    internal void Confirm(long through) => _confirmed = Math.Max(_confirmed, through - _settled);

    /// <summary>Every loop has handed over what it had written, and so have the other threads.</summary>
    internal Task HandOverAllAsync()
    {
        var handedOver = new Task[core.Group.Count];
        for (int i = 0; i < handedOver.Length; i++)
        {
            var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            EventLoop loop = core.Group[i];
            handedOver[i] = done.Task;
            // A loop that has ended has handed over.
            if (!loop.TryPost(NextTurn))
            {
                End();
            }

            void NextTurn()
            {
                if (!loop.TryPost(End))
                {
                    End();
                }
            }

            void End()
            {
                NoteHandedOver(core.Link, loop);
                done.TrySetResult();
            }
        }

        return Task.WhenAll(handedOver);
    }

    /// <summary>The transport is gone. Under the gate.</summary>
    internal void Settle(Link link)
    {
        LostBytes += link.Transport.PendingBytes;
        _unsent += link.Transport.CountCertainlyUnsent().Messages;
        // Told as discarded, as what the loops have staged will be.
        link.Transport.FlushExternal();
        Settling = SettleAsync(link);
    }

    // Loops that had the link in hand write to it until the end of their turn, and what they wrote is discarded then; after that
    // nobody writes to it any more.
    private async Task SettleAsync(Link link)
    {
        await Lifecycle.InTimeAsync(HandOverAllAsync(), Lifecycle.EndGrace).ConfigureAwait(false);
        lock (core.Gate)
        {
            Unconfirmed = CountWritten() - _confirmed - _unsent;
            _settled = _unsent + Unconfirmed;
            for (int i = 0; i < core.Group.Count; i++)
            {
                _counters[i].HandedOver = _counters[i].Messages;
            }

            link.IsSettled = true;
        }

        link.TellEnded();
    }

    // Under the gate: how many messages were written for a server so far, by all.
    private long CountWritten() => Accepted.Messages - core.Replay.Messages - core.Replay.NeverSent;

    // On the loop.
    private void NoteHandedOver(Link? link, EventLoop loop)
    {
        if (link is not null && link.Transport.GetUnflushedBytes(loop) == 0)
        {
            ref OutboundCounter counter = ref Of(loop);
            Volatile.Write(ref counter.HandedOver, counter.Messages);
        }
    }
}
