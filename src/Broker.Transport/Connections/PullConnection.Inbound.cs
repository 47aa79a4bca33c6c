using System.Runtime.CompilerServices;

namespace Broker.Transport;

// Bytes are received into the loop's buffer and parsed there. A connection owns memory only for the bytes that its
// handler left unconsumed, so an idle connection owns no memory. A message that is larger than the loop's buffer is
// collected in memory of the connection. This memory grows with the bytes that have really arrived, and not with the
// size that the peer announced.
internal abstract partial class PullConnection
{
    // The most reads in one iteration, so that a peer that always sends more does not delay other peers.
    private const int ReadsAlone = 4;

    // The least space for a read. A read into less space would not be worth its system call.
    private const int LeastRead = 1024;

    // The most ciphertext that a security layer gets at once while reads are limited, because the layer has to keep the
    // bytes that its connection cannot take.
    private const int MostSecuredRead = 16 * 1024;

    private Pacing.Pace _pace;

    /// <summary>
    /// Whether this connection is left for a later iteration: it always has more to read, and other connections wait
    /// for replies. On the loop. If a poller does not call <see cref="OnReadable"/> for this reason, it must report the
    /// connection again later.
    /// </summary>
    internal bool IsDeferred => Loop.Pacing.ShouldDefer(_pace);

    /// <summary>
    /// Called when there is something to receive. <paramref name="ready"/> is the number of connections that can
    /// receive now. On the loop.
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

        // Counts as a read that leaves more bytes: a part of the deferred work takes as long as a read, and more work
        // remains.
        Loop.Pacing.CountRead(ref _pace, 0, more: true, Loop.ScheduledFlushes > scheduled, Loop.MessagesHandled);
        if (!Gate.IsPaused && !IsClosed)
        {
            RearmReceive();
        }
    }

    /// <summary>
    /// Called when the peer's stream has ended while the handler pauses, and nothing is left to receive. If nothing is
    /// left to deliver either, closes the connection. On the loop.
    /// </summary>
    private protected void EndWhilePaused()
    {
        // If a layer has a close_notify, it reports the end of its stream itself: in ReceiveCloseNotify, or after the
        // pause.
        if ((Inbound.Count == 0 || (Gate.IsWaitingForMemory && !Gate.IsPausedByHandler)) && (Layer is not { } layer || (!layer.HasCloseNotify && !layer.IsReadable())))
        {
            Closing.OnPeerEnded();
        }
    }

    // Each of the following methods returns whether there may be more to read.
    private bool Read<TSource>()
        where TSource : struct, ISource
    {
        byte[] buffer = Loop.ReceiveBuffers.Plain;
        int kept = Inbound.Count;
        if (kept >= buffer.Length || Inbound.Needed > buffer.Length || (kept == 0 && Inbound.Expected != 0 && MayExpect()))
        {
            return Collect<TSource>();
        }

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
            ReadOnlySpan<byte> bytes = buffer.AsSpan(0, got);
            Inbound.Keep(bytes[Inbound.Deliver(bytes)..]);
        }
        else
        {
            Inbound.DeliverAfterUnconsumed(buffer, got);
        }

        return got == space && !Gate.IsPaused;
    }

    // Limits a read to MaxReadBytes. While the budget for received bytes is used up, also limits it to bytes that do
    // not count against the budget. Returns false if the connection has to wait.
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

        // Small messages do not count against the budget, so they always pass.
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

    // Whether the connection may allocate memory for a message of which nothing has been received yet.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool MayExpect()
        => Inbound.MaxReadBytes == 0 && Loop.Group.ReceiveBudget.StaysLoose(Inbound.Expected);

    private bool Collect<TSource>()
        where TSource : struct, ISource
    {
        int kept = Inbound.Count;
        // The most bytes to collect: the number that the handler needs. If the handler did not set a number, it is
        // twice the number of kept bytes, and the handler is called for every read. If nothing is kept, a message of
        // the expected size is received where it can stay, and not copied from the loop's buffer part by part.
        long most = Inbound.Needed > kept ? Inbound.Needed : kept * 2L;
        if (kept == 0)
        {
            most = Math.Max(most, Inbound.Expected);
        }

        if (Inbound.NeedsPartByPart)
        {
            // If the memory grew by one part at a time, each part would be copied with all parts before it.
            most = Math.Max(most, kept + (kept / 2L));
        }

        // The size of the largest delivered message is a good guess. But while memory is scarce, only bytes that have
        // arrived prove that memory is needed.
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
            Inbound.ReleaseUnused();
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

    // The source of the bytes for the handler. It is a type parameter, so that receiving without TLS pays nothing for
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
