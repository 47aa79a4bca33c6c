using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Broker.ZeroMq;

/// <summary>
/// The receiving half of a thread-safe socket: takes messages from the receive queue and waits for them.
/// </summary>
internal sealed class MessageReceiver(MessageSocket socket, ReceiveQueue queue, RequestReplyOrder? order)
{
    internal ReceiveQueue Queue => queue;

    /// <summary>
    /// Receives a message within <see cref="ZeroMqSocketOptions.ReceiveTimeout"/>. Returns false if the reader refused
    /// the message.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    internal bool Receive<TReader>(ref TReader reader)
        where TReader : struct, IMessageReader, allows ref struct
    {
        DequeueResult outcome = Take(ref reader, socket.Options.ReceiveTimeout);
        if (outcome is DequeueResult.Empty or DequeueResult.Closed)
        {
            ThrowNotReceived(outcome);
        }

        return outcome == DequeueResult.Taken;
    }

    internal bool TryReceive<TReader>(ref TReader reader, TimeSpan timeout, out bool wasRefused)
        where TReader : struct, IMessageReader, allows ref struct
    {
        DequeueResult outcome = Take(ref reader, timeout);
        if (outcome == DequeueResult.Closed)
        {
            socket.ThrowClosed();
        }

        wasRefused = outcome == DequeueResult.Refused;
        return outcome == DequeueResult.Taken;
    }

    internal ValueTask ReceiveAsync(ZeroMqMessage message, CancellationToken cancellation)
    {
        var reader = new MessageReader(message);
        return TryReceive(ref reader, TimeSpan.Zero, out _) ? default : ReceiveSlowlyAsync(message, cancellation);
    }

    /// <summary>Waits until there may be a message or the socket is closed.</summary>
    internal ValueTask WaitForMessageAsync(CancellationToken cancellation)
    {
        // The caller may wait for the reply to a request that is still in the send queue, so flush the send queue.
        socket.FlushSendQueue();
        return queue.WaitAsync(cancellation);
    }

    /// <summary>Drops the received messages that no caller has taken.</summary>
    internal void Clear()
    {
        var discarder = default(DiscardingReader);
        while (queue.HasMessages && queue.Dequeue(ref discarder) == DequeueResult.Taken)
        {
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private DequeueResult Take<TReader>(ref TReader reader, TimeSpan timeout)
        where TReader : struct, IMessageReader, allows ref struct
    {
        long step = order is null ? 0 : order.BeginReceive();
        DequeueResult outcome = queue.Dequeue(ref reader);
        if (outcome == DequeueResult.Empty && timeout != TimeSpan.Zero)
        {
            outcome = TakeBlocking(ref reader, timeout);
        }

        if (order is not null && outcome == DequeueResult.Taken)
        {
            order.EndReceive(step);
        }

        return outcome;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private DequeueResult TakeBlocking<TReader>(ref TReader reader, TimeSpan timeout)
        where TReader : struct, IMessageReader, allows ref struct
    {
        socket.FlushSendQueue();
        return socket.Loop.IsCallerDriven
            ? TakeDrivingLoop(ref reader, timeout)
            : queue.Take(ref reader, socket.Options.Attempts, timeout);
    }

    // The loop has no thread of its own, so the caller that waits for a message runs the loop's iterations.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private DequeueResult TakeDrivingLoop<TReader>(ref TReader reader, TimeSpan timeout)
        where TReader : struct, IMessageReader, allows ref struct
    {
        // Poll before the thread sleeps: the message may be about to arrive.
        for (int i = 0; i < socket.Options.Attempts; i++)
        {
            socket.Loop.RunOnce(TimeSpan.Zero);
            DequeueResult found = queue.Dequeue(ref reader);
            if (found != DequeueResult.Empty)
            {
                return found;
            }
        }

        var deadline = new Deadline(timeout, socket.Context.Clock);
        while (true)
        {
            int left = deadline.Milliseconds;
            socket.Loop.RunOnce(TimeSpan.FromMilliseconds(left));
            DequeueResult outcome = queue.Dequeue(ref reader);
            if (outcome != DequeueResult.Empty || left == 0)
            {
                return outcome;
            }
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask ReceiveSlowlyAsync(ZeroMqMessage message, CancellationToken cancellation)
    {
        var reader = new MessageReader(message);
        do
        {
            await WaitForMessageAsync(cancellation).ConfigureAwait(false);
        }
        while (!TryReceive(ref reader, TimeSpan.Zero, out _));
    }

    [DoesNotReturn]
    private void ThrowNotReceived(DequeueResult outcome)
    {
        if (outcome == DequeueResult.Closed)
        {
            socket.ThrowClosed();
        }

        throw new TimeoutException($"No message came within {socket.Options.ReceiveTimeout}.");
    }
}
