using System.Runtime.CompilerServices;
using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.ZeroMq.Queues;

// What a writer does when there was no room at first.
internal sealed partial class SendQueue
{
    private int _isLookedAt;

    /// <summary>
    /// Copies a message in, and waits for room if it must: first by at most <see cref="Attempts"/> further attempts, if no other thread is
    /// doing so, and then by blocking. No clock is read for an infinite time, nor before the attempts.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    internal SendOutcome Add<TMessage>(in TMessage message, TimeSpan timeout)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        var outcome = TryAdd(message);
        return outcome != SendOutcome.Full || timeout == TimeSpan.Zero ? outcome : AddSlowly(message, timeout);
    }

    /// <summary>
    /// Ends when there may be room for a message of this size, or the queue is closed. It is for one wait; the writer then tries, and if there is no room waits again.
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

    // One thread only, as with receivers.
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
                // The loop may need this processor to make the room that is looked for.
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
                // Who waits on keeps the wake: passed on, it would go round among those for whose large messages there is no room yet.
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

    // The loop has no thread: nobody but the caller brings peers and what makes room.
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
