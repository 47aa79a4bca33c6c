using System.Runtime.CompilerServices;

namespace Broker.ZeroMq.Queues;

// What a receiver does when its first attempt has found nothing.
internal sealed partial class ReceiveQueue
{
    private int _isLookedAt;

    /// <summary>
    /// Takes a message, and waits for one if it must: first by at most <paramref name="attempts"/> further attempts, if no other thread is
    /// doing so, and then by blocking. No clock is read for an infinite time, nor before the attempts.
    /// </summary>
    internal TakeOutcome Take<TReader>(ref TReader reader, int attempts, TimeSpan timeout)
        where TReader : struct, IMessageReader, allows ref struct
    {
        var outcome = TryTake(ref reader);
        if (outcome != TakeOutcome.Empty || timeout == TimeSpan.Zero)
        {
            return outcome;
        }

        outcome = Attempt(ref reader, attempts);
        return outcome != TakeOutcome.Empty ? outcome : Block(ref reader, timeout);
    }

    /// <summary>
    /// Ends when there may be a message, or the queue is closed. It is for one wait; the receiver then tries, and if it has not got
    /// a message waits again.
    /// </summary>
    internal ValueTask WaitAsync(CancellationToken cancellation)
    {
        var waiter = Waiters.Join(blocks: false);
        if (HasMessages || _isClosed)
        {
            waiter.Cancel();
        }

        return Waiters.WaitAsync(waiter, cancellation);
    }

    // One thread only: two that look at the same time take the processor from each other and from the loop.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private TakeOutcome Attempt<TReader>(ref TReader reader, int attempts)
        where TReader : struct, IMessageReader, allows ref struct
    {
        if (attempts == 0 || Interlocked.CompareExchange(ref _isLookedAt, 1, 0) != 0)
        {
            return TakeOutcome.Empty;
        }

        try
        {
            for (int i = 0; i < attempts; i++)
            {
                // The loop may need this processor to bring what is looked for.
                Thread.Yield();
                if (HasMessages || _isClosed)
                {
                    var outcome = TryTake(ref reader);
                    if (outcome != TakeOutcome.Empty)
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

        return TakeOutcome.Empty;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private TakeOutcome Block<TReader>(ref TReader reader, TimeSpan timeout)
        where TReader : struct, IMessageReader, allows ref struct
    {
        var patience = new Patience(timeout, Clock);
        int left;
        do
        {
            left = patience.Milliseconds;
            var waiter = Waiters.Join(blocks: true);
            var outcome = TakeOutcome.Empty;
            try
            {
                outcome = TryTake(ref reader);
                if (outcome == TakeOutcome.Empty && waiter.Block(left))
                {
                    outcome = TryTake(ref reader);
                }
            }
            finally
            {
                if (Waiters.Leave(waiter) && HasMessages)
                {
                    Waiters.WakeOne();
                }
            }

            if (outcome != TakeOutcome.Empty)
            {
                return outcome;
            }
        }
        while (left != 0);

        return TakeOutcome.Empty;
    }
}
