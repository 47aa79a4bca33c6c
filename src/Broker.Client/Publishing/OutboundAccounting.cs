using System.Runtime.CompilerServices;
using Broker.Transport;

namespace Broker.Client;

/// <summary>
/// Counts the outcome of each accepted message. While a server is connected, a message is either confirmed by a PONG
/// that came after it or still open. When the server is lost, each message is confirmed, unsent or unconfirmed. The sum
/// is exact, because the unconfirmed messages are computed as the remainder.
/// </summary>
internal sealed class OutboundAccounting(SharedState shared, ReconnectBuffer reconnectBuffer)
{
    private readonly OutboundCounter[] _counters = new OutboundCounter[shared.Group.Count + 1];
    private long _confirmed;

    // The lost and unconfirmed messages of all earlier servers.
    private long _settled;

    // The messages that were written for a server and not sent.
    private long _unsent;

    /// <summary>The counter for messages that an event loop publishes. Used on that loop.</summary>
    internal ref OutboundCounter GetCounter(EventLoop loop) => ref _counters[loop.Index];

    /// <summary>The counter for messages that all other threads publish. Used under the gate.</summary>
    internal ref OutboundCounter External
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => ref _counters[^1];
    }

    /// <summary>The number of messages that were accepted and not sent. Read under the gate.</summary>
    internal long Lost => _unsent + reconnectBuffer.NeverSent;

    /// <summary>The number of messages that were sent and may have arrived. Used under the gate.</summary>
    internal long Unconfirmed { get; private set; }

    /// <summary>The number of protocol bytes that were queued and not sent. Used under the gate.</summary>
    internal long LostBytes { get; private set; }

    /// <summary>Completes when everything that was written for the last lost server has been counted.</summary>
    internal Task Settling { get; private set; } = Task.CompletedTask;

    /// <summary>The number of accepted messages and their bytes so far. May be read on any thread.</summary>
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

    /// <summary>
    /// Runs an action after <paramref name="loop"/> has flushed everything that it has written so far. May be called on
    /// any thread.
    /// </summary>
    internal static void RunAfterFlush(EventLoop loop, Action action)
        // A callback that is posted while events are handled runs before the end of the iteration. A callback that this
        // callback posts runs in the next iteration.
        => loop.Post(() => loop.Post(action));

    /// <summary>Counts bytes that a link has discarded. May be called on any thread.</summary>
    internal void CountDiscarded(ServerLink link, ReadOnlySpan<byte> written)
    {
        long messages = WrittenCommand.CountMessages(written);
        lock (shared.Gate)
        {
            LostBytes += written.Length;
            _unsent += messages;
            if (link.IsSettled)
            {
                // The loop was stopped and has discarded these bytes only after the link was settled.
                Unconfirmed -= messages;
            }
        }
    }

    /// <summary>
    /// Returns the number of messages that are certainly queued by now, so that a PING comes after them. Called under
    /// the gate.
    /// </summary>
    internal long CountFlushed(ServerLink link)
    {
        EventLoop? current = shared.CurrentLoop();
        long flushed = External.Messages - reconnectBuffer.Messages - reconnectBuffer.NeverSent;
        for (int i = 0; i < shared.Group.Count; i++)
        {
            if (shared.Group[i] == current)
            {
                UpdateFlushed(link, current);
            }

            flushed += Volatile.Read(ref _counters[i].Flushed);
        }

        return flushed;
    }

    /// <summary>Counts this number of messages as processed by the server. Called under the gate.</summary>
    internal void Confirm(long through) => _confirmed = Math.Max(_confirmed, through - _settled);

    /// <summary>Completes when every loop and every other thread has flushed what it had written.</summary>
    internal Task FlushAllAsync()
    {
        var flushed = new Task[shared.Group.Count];
        for (int i = 0; i < flushed.Length; i++)
        {
            var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            EventLoop loop = shared.Group[i];
            flushed[i] = done.Task;
            // A loop that has ended has already flushed everything.
            if (!loop.TryPost(NextIteration))
            {
                End();
            }

            void NextIteration()
            {
                if (!loop.TryPost(End))
                {
                    End();
                }
            }

            void End()
            {
                UpdateFlushed(shared.Link, loop);
                done.TrySetResult();
            }
        }

        return Task.WhenAll(flushed);
    }

    /// <summary>Counts what was written for a link whose transport has closed. Called under the gate.</summary>
    internal void Settle(ServerLink link)
    {
        LostBytes += link.Transport.PendingBytes;
        _unsent += link.Transport.CountCertainlyUnsent().Messages;
        // The transport reports these bytes as discarded, and later the bytes in the write buffers of the loops too.
        link.Transport.FlushExternal();
        Settling = SettleAsync(link);
    }

    // A loop that has already read the link writes to it until the end of its iteration, and those bytes are discarded
    // then. After that nobody writes to the link any more.
    private async Task SettleAsync(ServerLink link)
    {
        await BoundedWait.AtMostAsync(FlushAllAsync(), BoundedWait.CloseGrace).ConfigureAwait(false);
        lock (shared.Gate)
        {
            Unconfirmed = CountWritten() - _confirmed - _unsent;
            _settled = _unsent + Unconfirmed;
            for (int i = 0; i < shared.Group.Count; i++)
            {
                _counters[i].Flushed = _counters[i].Messages;
            }

            link.IsSettled = true;
        }

        link.CompleteEnded();
    }

    // Returns the number of messages that all threads have written for a server so far. Called under the gate.
    private long CountWritten() => Accepted.Messages - reconnectBuffer.Messages - reconnectBuffer.NeverSent;

    // Called on the loop.
    private void UpdateFlushed(ServerLink? link, EventLoop loop)
    {
        if (link is not null && link.Transport.GetUnflushedBytes(loop) == 0)
        {
            ref OutboundCounter counter = ref GetCounter(loop);
            Volatile.Write(ref counter.Flushed, counter.Messages);
        }
    }
}
