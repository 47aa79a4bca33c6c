using System.Runtime.CompilerServices;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Queues;

// This part is used by a writer that found no room at first.
internal sealed partial class SendQueue
{
    private int _isLookedAt;

    /// <summary>
    /// Copies a message into the queue, and waits for room if there is none. It first makes up to <see
    /// cref="Attempts"/> further attempts, if no other thread is making attempts, and then blocks. It reads no clock
    /// for an infinite timeout, nor before the attempts.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    internal SendOutcome Add<TMessage>(in TMessage message, TimeSpan timeout)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        var outcome = TryAdd(message);
        return outcome != SendOutcome.Full || timeout == TimeSpan.Zero ? outcome : AddSlowly(message, timeout);
    }

    /// <summary>
    /// Completes when there may be room for a message of this size, or when the queue is closed. It ends one wait only:
    /// the writer then tries again, and waits again if there is still no room.
    /// </summary>
    internal ValueTask WaitAsync(int size, CancellationToken cancellation)
    {
        var waiter = Waiters.Join(blocks: false);
        if (HasRoomFor(size))
        {
            waiter.Cancel();
        }

        return Waiters.WaitAsync(waiter, cancellation);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private SendOutcome AddSlowly<TMessage>(in TMessage message, TimeSpan timeout)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        if (_loop.IsCallerDriven)
        {
            return Turn(message, timeout);
        }

        var outcome = Attempt(message);
        return outcome != SendOutcome.Full ? outcome : Block(message, timeout);
    }

    // Only one thread makes attempts at a time, as in ReceiveQueue.
    private SendOutcome Attempt<TMessage>(in TMessage message)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        if (Attempts == 0 || Interlocked.CompareExchange(ref _isLookedAt, 1, 0) != 0)
        {
            return SendOutcome.Full;
        }

        try
        {
            for (int i = 0; i < Attempts; i++)
            {
                // The loop may need this processor to make room.
                Thread.Yield();
                if (HasRoomFor(message.EncodedSize))
                {
                    var outcome = TryAdd(message);
                    if (outcome != SendOutcome.Full)
                    {
                        return outcome;
                    }
                }
            }
        }
        finally
        {
            Volatile.Write(ref _isLookedAt, 0);
        }

        return SendOutcome.Full;
    }

    private SendOutcome Block<TMessage>(in TMessage message, TimeSpan timeout)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        var patience = new Patience(timeout, Clock);
        int left;
        do
        {
            left = patience.Milliseconds;
            var waiter = Waiters.Join(blocks: true);
            var outcome = SendOutcome.Full;
            bool waitsOn = false;
            try
            {
                outcome = TryAdd(message);
                if (outcome == SendOutcome.Full && waiter.Block(left))
                {
                    outcome = TryAdd(message);
                }

                waitsOn = outcome == SendOutcome.Full && left != 0;
            }
            finally
            {
                // A writer that continues to wait keeps the wake. If it passed the wake on, writers of messages that
                // are too large for the room would wake each other without end.
                if (Waiters.Leave(waiter) && !waitsOn && HasRoom)
                {
                    Waiters.WakeOne();
                }
            }

            if (outcome != SendOutcome.Full)
            {
                return outcome;
            }
        }
        while (left != 0);

        return SendOutcome.Full;
    }

    // The loop has no thread of its own. Only the caller's iterations connect peers and make room.
    private SendOutcome Turn<TMessage>(in TMessage message, TimeSpan timeout)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        for (int i = 0; i < Attempts; i++)
        {
            _loop.RunOnce(TimeSpan.Zero);
            var found = TryAdd(message);
            if (found != SendOutcome.Full)
            {
                return found;
            }
        }

        var patience = new Patience(timeout, Clock);
        while (true)
        {
            int left = patience.Milliseconds;
            _loop.RunOnce(TimeSpan.FromMilliseconds(left));
            var outcome = TryAdd(message);
            if (outcome != SendOutcome.Full || left == 0)
            {
                return outcome;
            }
        }
    }
}
