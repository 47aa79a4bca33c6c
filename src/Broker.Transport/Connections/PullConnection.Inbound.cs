using System.Runtime.CompilerServices;

namespace Broker.Transport;

// Bytes are received into the loop's buffer and parsed there. A connection owns memory only for the bytes that its
// handler left unconsumed, so an idle connection owns none. A message that is larger than the loop's buffer is
// collected in memory of the connection, which grows with the bytes that really arrived and not with the size that the
// peer announced.
internal abstract partial class PullConnection
{
    // The most reads in one iteration, so that a peer that always sends more does not delay the others.
    private const int ReadsAlone = 4;

    // A read that would have less space is not worth a system call.
    private const int LeastRead = 1024;

    // While half of the budget for received bytes is used, a layer gets less ciphertext at once, because it keeps what
    // its connection cannot take.
    private const int MostSecuredRead = 16 * 1024;

    private Pacing.Pace _pace;

    /// <summary>
    /// Whether this connection, which always has more to read, is left for a later iteration because other connections
    /// wait for replies. On the loop. A poller that does not call <see cref="OnReadable"/> for this reason must report
    /// the connection again.
    /// </summary>
    internal bool IsDeferred => Loop.Pacing.ShouldDefer(_pace);

    /// <summary>
    /// There is something to receive. <paramref name="ready"/> is the number of connections that have something to
    /// receive. On the loop.
    /// </summary>
    internal override void OnReadable(int ready)
    {
        long before = Loop.BytesReceived;
        long scheduled = Loop.ScheduledFlushes;
        Loop.MessagesHandled = Pacing.Unknown;
        bool more = !Gate.IsPaused;
        for (int reads = ready > 1 || Loop.Pacing.OthersAreInteractive(_pace) ? 1 : ReadsAlone; more && reads > 0 && !IsClosed; reads--)
        {
            more = IsLingering ? Discard()
                : Layer is { } layer ? ReadSecured(layer)
                : Read<Clear>();
        }

        Inbound.MemoryIfUsed?.EndRead();
        long got = Loop.BytesReceived - before;
        Loop.Timers.CountRead(got);
        Loop.Pacing.CountRead(ref _pace, got, more, Loop.ScheduledFlushes > scheduled, Loop.MessagesHandled);
    }

    public void ContinueReceiving()
    {
        long scheduled = Loop.ScheduledFlushes;
        Loop.MessagesHandled = Pacing.Unknown;
        if (Layer is { } layer)
        {
            ContinueSecured(layer);
        }
        else
        {
            Inbound.DeliverUnconsumed();
        }

        // A part of deferred work takes as long as a read, and more of it remains.
        Loop.Pacing.CountRead(ref _pace, 0, more: true, Loop.ScheduledFlushes > scheduled, Loop.MessagesHandled);
        if (!Gate.IsPaused && !IsClosed)
        {
            RearmReceive();
        }
    }

    /// <summary>
    /// The peer's stream has ended while the handler pauses, and nothing is left to receive. Closes the connection if
    /// nothing is left to deliver either. On the loop.
    /// </summary>
    private protected void EndWhilePaused()
    {
        // A layer with a close_notify reports the end of its stream itself: in ReceiveCloseNotify, or after the pause.
        if ((Inbound.Count == 0 || (Gate.IsWaitingForMemory && !Gate.IsPausedByHandler)) && (Layer is not { } layer || (!layer.HasCloseNotify && !layer.IsReadable())))
        {
            Closing.OnPeerEnded();
        }
    }

    // Each of these methods returns whether there may be more to read.
    private bool Read<TSource>()
        where TSource : struct, ISource
        => Inbound.Needed > Loop.ReceiveBuffers.Plain.Length || Inbound.Count >= Loop.ReceiveBuffers.Plain.Length
            ? Collect<TSource>()
            : ReadShared<TSource>();

    private bool ReadShared<TSource>()
        where TSource : struct, ISource
    {
        byte[] buffer = Loop.ReceiveBuffers.Plain;
        int kept = Inbound.Count;
        int space = buffer.Length - kept;
        bool isLimited = Loop.Group.ReceiveBudget.IsTight | Inbound.MaxReadBytes != 0;
        if (isLimited && !TryLimitRead(kept, ref space))
        {
            return false;
        }

        int got = TSource.Receive(this, buffer, kept, space, out ReceiveOutcome outcome);
        if (outcome != ReceiveOutcome.Received)
        {
            return End(outcome);
        }

        if (kept == 0)
        {
            Inbound.Deliver(buffer.AsSpan(0, got));
        }
        else
        {
            Inbound.DeliverAfterUnconsumed(buffer, got);
        }

        return got == space && !Gate.IsPaused;
    }

    // Limits a read to MaxReadBytes and, while the budget for received bytes is used up, to what is not counted.
    // Returns false if the connection has to wait.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryLimitRead(int kept, ref int space)
    {
        if (Inbound.MaxReadBytes != 0)
        {
            space = Math.Min(space, Math.Max(Inbound.MaxReadBytes - kept, LeastRead));
        }

        bool isLarge = kept > ReceiveBudget.LargestShared;
        if (!Loop.Group.ReceiveBudget.IsFull(isLarge))
        {
            return true;
        }

        // Small messages pass always.
        int uncounted = ReceiveBudget.Uncounted - kept;
        if (uncounted > 0 && Inbound.Needed <= ReceiveBudget.Uncounted)
        {
            space = Math.Min(space, uncounted);
            return true;
        }

        if (Inbound.Memory.TryAllow(isLarge ? kept : ReceiveBudget.LargestShared, isLarge))
        {
            return true;
        }

        Gate.PauseForMemory();
        return false;
    }

    private bool Collect<TSource>()
        where TSource : struct, ISource
    {
        int kept = Inbound.Count;
        // What the handler needs. If it did not say how much, twice the bytes that it had, and it is called for
        // whatever arrives.
        long most = Inbound.Needed > kept ? Inbound.Needed : kept * 2L;
        // The size of the last message is a good guess, but only what has arrived is proof that memory is needed.
        int guess = Loop.Group.ReceiveBudget.IsTight ? 0 : Inbound.LargestDelivered;
        long limit = Math.Min(most, Math.Max(Loop.ReceiveBuffers.Plain.Length, guess));
        if (kept >= limit)
        {
            limit = Math.Min(most, kept * 4L);
        }

        int size = (int)Math.Min(limit, Array.MaxLength);
        if (size > kept && !Inbound.TryCountGrowth(size))
        {
            Gate.PauseForMemory();
            return false;
        }

        if (!Inbound.TryReserve(size, out byte[] array, out int offset, out int space))
        {
            return false;
        }

        int got = TSource.Receive(this, array, offset, space, out ReceiveOutcome outcome);
        if (outcome != ReceiveOutcome.Received)
        {
            return End(outcome);
        }

        Inbound.Advance(got);
        Inbound.DeliverUnconsumed();
        return got == space && !Gate.IsPaused;
    }

    private bool Discard()
    {
        Inbound.Release();
        Receive(Loop.ReceiveBuffers.Plain, out ReceiveOutcome outcome);
        if (outcome != ReceiveOutcome.Received)
        {
            return End(outcome);
        }

        Closing.OnReceived();
        return true;
    }

    private bool End(ReceiveOutcome outcome)
    {
        if (outcome == ReceiveOutcome.EndOfStream)
        {
            Closing.OnPeerEnded();
        }
        else if (outcome != ReceiveOutcome.Blocked)
        {
            CloseOnLoop(CloseReason.Error, Layer?.Fault, TimeSpan.Zero);
        }

        return false;
    }

    // The source of the bytes for the handler. It is a type parameter, so that receiving in clear costs nothing for
    // TLS.
    private interface ISource
    {
        static abstract int Receive(PullConnection connection, byte[] array, int offset, int count, out ReceiveOutcome outcome);
    }

    private readonly struct Clear : ISource
    {
        public static int Receive(PullConnection connection, byte[] array, int offset, int count, out ReceiveOutcome outcome)
        {
            int got = connection.Receive(array.AsSpan(offset, count), out outcome);
            connection.Loop.BytesReceived += got;
            connection.Inbound.CountReceived(got);
            return got;
        }
    }
}
