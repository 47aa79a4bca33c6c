using System.Runtime.CompilerServices;

namespace Broker.ZeroMq;

// This part is used by a receiver that found no message at first.
internal sealed partial class ReceiveQueue
{
    private int _isAttempting;

    /// <summary>
    /// Takes a message, and waits if there is no message. Before it blocks, it makes up to <paramref name="attempts"/>
    /// further attempts, unless another thread is making attempts. It reads the clock only after the attempts, and
    /// never if the timeout is infinite.
    /// </summary>
    internal DequeueResult Take<TReader>(ref TReader reader, int attempts, TimeSpan timeout)
        where TReader : struct, IMessageReader, allows ref struct
    {
        DequeueResult outcome = Dequeue(ref reader);
        if (outcome != DequeueResult.Empty || timeout == TimeSpan.Zero)
        {
            return outcome;
        }

        outcome = Attempt(ref reader, attempts);
        return outcome != DequeueResult.Empty ? outcome : Block(ref reader, timeout);
    }

    /// <summary>
    /// Completes when there may be a message, or when the queue is closed. The receiver then tries to take a message,
    /// and waits again if it got none.
    /// </summary>
    internal ValueTask WaitAsync(CancellationToken cancellation)
    {
        Waiter waiter = Waiters.Join(blocks: false);
        if (HasMessages || _isClosed)
        {
            waiter.Cancel();
        }

        return Waiters.WaitAsync(waiter, cancellation);
    }

    // Only one thread makes attempts at a time. Two such threads would take the processor from each other and from the
    // loop.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private DequeueResult Attempt<TReader>(ref TReader reader, int attempts)
        where TReader : struct, IMessageReader, allows ref struct
    {
        if (attempts == 0 || Interlocked.CompareExchange(ref _isAttempting, 1, 0) != 0)
        {
            return DequeueResult.Empty;
        }

        try
        {
            for (int i = 0; i < attempts; i++)
            {
                // The loop may need this processor to deliver a message.
                Thread.Yield();
                if (HasMessages || _isClosed)
                {
                    DequeueResult outcome = Dequeue(ref reader);
                    if (outcome != DequeueResult.Empty)
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

        return DequeueResult.Empty;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private DequeueResult Block<TReader>(ref TReader reader, TimeSpan timeout)
        where TReader : struct, IMessageReader, allows ref struct
    {
        var deadline = new Deadline(timeout, Clock);
        int left;
        do
        {
            left = deadline.Milliseconds;
            Waiter waiter = Waiters.Join(blocks: true);
            DequeueResult outcome = DequeueResult.Empty;
            try
            {
                outcome = Dequeue(ref reader);
                if (outcome == DequeueResult.Empty && waiter.Block(left))
                {
                    outcome = Dequeue(ref reader);
                }
            }
            finally
            {
                if (Waiters.Leave(waiter) && HasMessages)
                {
                    Waiters.WakeOne();
                }
            }

            if (outcome != DequeueResult.Empty)
            {
                return outcome;
            }
        }
        while (left != 0);

        return DequeueResult.Empty;
    }
}
