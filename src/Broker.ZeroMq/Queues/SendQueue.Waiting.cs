using System.Runtime.CompilerServices;

namespace Broker.ZeroMq;

// This part is used by a writer that found no room at first.
internal sealed partial class SendQueue
{
    private int _isAttempting;

    /// <summary>
    /// Copies a message into the queue, and waits if there is no room. Before it blocks, it makes up to
    /// <see cref="Attempts"/> further attempts, unless another thread is making attempts. It reads the clock only after
    /// the attempts, and never if the timeout is infinite.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    internal EnqueueResult Add<TMessage>(in TMessage message, TimeSpan timeout)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        EnqueueResult outcome = Enqueue(message);
        return outcome != EnqueueResult.Full || timeout == TimeSpan.Zero ? outcome : AddSlowly(message, timeout);
    }

    /// <summary>
    /// Completes when there may be room for a message of this size, or when the queue is closed. The writer then tries
    /// to add its message, and waits again if there is still no room.
    /// </summary>
    internal ValueTask WaitAsync(int size, CancellationToken cancellation)
    {
        Waiter waiter = Waiters.Join(blocks: false);
        if (_counters.HasRoomFor(size))
        {
            waiter.Cancel();
        }

        return Waiters.WaitAsync(waiter, cancellation);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private EnqueueResult AddSlowly<TMessage>(in TMessage message, TimeSpan timeout)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        if (_loop.IsCallerDriven)
        {
            return RunLoopAndAdd(message, timeout);
        }

        EnqueueResult outcome = Attempt(message);
        return outcome != EnqueueResult.Full ? outcome : Block(message, timeout);
    }

    // Only one thread makes attempts at a time, as in ReceiveQueue.
    private EnqueueResult Attempt<TMessage>(in TMessage message)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        if (Attempts == 0 || Interlocked.CompareExchange(ref _isAttempting, 1, 0) != 0)
        {
            return EnqueueResult.Full;
        }

        try
        {
            for (int i = 0; i < Attempts; i++)
            {
                // The loop may need this processor to make room.
                Thread.Yield();
                if (_counters.HasRoomFor(message.EncodedSize))
                {
                    EnqueueResult outcome = Enqueue(message);
                    if (outcome != EnqueueResult.Full)
                    {
                        return outcome;
                    }
                }
            }
        }
        finally
        {
            Volatile.Write(ref _isAttempting, 0);
        }

        return EnqueueResult.Full;
    }

    private EnqueueResult Block<TMessage>(in TMessage message, TimeSpan timeout)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        var deadline = new Deadline(timeout, Clock);
        int left;
        do
        {
            left = deadline.Milliseconds;
            Waiter waiter = Waiters.Join(blocks: true);
            EnqueueResult outcome = EnqueueResult.Full;
            bool waitsOn = false;
            try
            {
                outcome = Enqueue(message);
                if (outcome == EnqueueResult.Full && waiter.Block(left))
                {
                    outcome = Enqueue(message);
                }

                waitsOn = outcome == EnqueueResult.Full && left != 0;
            }
            finally
            {
                // A woken writer that will wait again does not wake another writer. Otherwise writers of messages that
                // are too large for the room would wake each other without end.
                if (Waiters.Leave(waiter) && !waitsOn && HasRoom)
                {
                    Waiters.WakeOne();
                }
            }

            if (outcome != EnqueueResult.Full)
            {
                return outcome;
            }
        }
        while (left != 0);

        return EnqueueResult.Full;
    }

    // The loop has no thread of its own, so only the iterations that this thread runs connect peers and make room.
    private EnqueueResult RunLoopAndAdd<TMessage>(in TMessage message, TimeSpan timeout)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        for (int i = 0; i < Attempts; i++)
        {
            _loop.RunOnce(TimeSpan.Zero);
            EnqueueResult found = Enqueue(message);
            if (found != EnqueueResult.Full)
            {
                return found;
            }
        }

        var deadline = new Deadline(timeout, Clock);
        while (true)
        {
            int left = deadline.Milliseconds;
            _loop.RunOnce(TimeSpan.FromMilliseconds(left));
            EnqueueResult outcome = Enqueue(message);
            if (outcome != EnqueueResult.Full || left == 0)
            {
                return outcome;
            }
        }
    }
}
