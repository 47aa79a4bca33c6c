using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Broker.ZeroMq;

public abstract partial class MessageSocket
{
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    internal void SendMessage<TMessage>(in TMessage message)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        var outcome = _checksBeforeSending ? SendChecked(message, Options.SendTimeout) : _outbound!.Add(message, Options.SendTimeout);
        if (outcome != EnqueueResult.Sent)
        {
            ThrowNotSent(outcome);
        }
    }

    internal bool TrySendMessage<TMessage>(in TMessage message, TimeSpan timeout)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        var outcome = _checksBeforeSending ? SendChecked(message, timeout) : _outbound!.Add(message, timeout);
        if (outcome == EnqueueResult.Closed)
        {
            ThrowClosed();
        }

        return outcome == EnqueueResult.Sent;
    }

    internal ValueTask SendMessageAsync(ReadOnlyMemory<byte> frame, CancellationToken cancellation) =>
        TrySendMessage(new Encoders.OneFrame(frame.Span), TimeSpan.Zero) ? default : SendSlowlyAsync(frame, cancellation);

    internal ValueTask SendMessageAsync(ZeroMqMessage message, CancellationToken cancellation) =>
        TrySendMessage(new Encoders.Verbatim(message.Encoded), TimeSpan.Zero) ? default : SendSlowlyAsync(message, cancellation);

    /// <summary>
    /// Receives a message within <see cref="ZeroMqSocketOptions.ReceiveTimeout"/>. Returns false if the reader refused
    /// the message.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    internal bool ReceiveMessage<TReader>(ref TReader reader)
        where TReader : struct, IMessageReader, allows ref struct
    {
        var outcome = ReceiveCore(ref reader, Options.ReceiveTimeout);
        if (outcome is DequeueResult.Empty or DequeueResult.Closed)
        {
            ThrowNotReceived(outcome);
        }

        return outcome == DequeueResult.Taken;
    }

    internal bool TryReceiveMessage<TReader>(ref TReader reader, TimeSpan timeout, out bool wasRefused)
        where TReader : struct, IMessageReader, allows ref struct
    {
        var outcome = ReceiveCore(ref reader, timeout);
        if (outcome == DequeueResult.Closed)
        {
            ThrowClosed();
        }

        wasRefused = outcome == DequeueResult.Refused;
        return outcome == DequeueResult.Taken;
    }

    internal ValueTask ReceiveMessageAsync(ZeroMqMessage message, CancellationToken cancellation)
    {
        var reader = new MessageReader(message);
        return TryReceiveMessage(ref reader, TimeSpan.Zero, out _) ? default : ReceiveSlowlyAsync(message, cancellation);
    }

    /// <summary>Waits until there may be room for a message of this size or the socket is closed.</summary>
    internal ValueTask WaitForRoomAsync(int size, CancellationToken cancellation) => _outbound!.WaitAsync(size, cancellation);

    /// <summary>Waits until there may be a message or the socket is closed.</summary>
    internal ValueTask WaitForMessageAsync(CancellationToken cancellation)
    {
        // A caller that waits for an answer has sent its question before: flush it.
        _outbound?.FlushNow();
        return _inbound!.WaitAsync(cancellation);
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private DequeueResult ReceiveCore<TReader>(ref TReader reader, TimeSpan timeout)
        where TReader : struct, IMessageReader, allows ref struct
    {
        long step = Order is null ? 0 : Order.BeginReceive();
        var outcome = _inbound!.TryTake(ref reader);
        if (outcome == DequeueResult.Empty && timeout != TimeSpan.Zero)
        {
            outcome = ReceiveBlocking(ref reader, timeout);
        }

        if (Order is not null && outcome == DequeueResult.Taken)
        {
            Order.EndReceive(step);
        }

        return outcome;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private EnqueueResult SendChecked<TMessage>(in TMessage message, TimeSpan timeout)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        if (Order is not null)
        {
            return SendInOrder(message, timeout);
        }

        RequireRoute(message);
        return _outbound!.Add(message, timeout);
    }

    private void RequireRoute<TMessage>(in TMessage message)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        byte[] rented = ArrayPool<byte>.Shared.Rent(message.EncodedSize);
        try
        {
            message.Encode(rented);
            var first = EncodedMessage.SplitFrame(rented, out bool more, out _);
            if (!more)
            {
                throw new ZeroMqUnroutableException("The message has a routing id but no frame after it.");
            }

            if (!Routes!(first))
            {
                throw new ZeroMqUnroutableException("No peer has the routing id in the message's first frame.");
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(rented);
        }
    }

    private EnqueueResult SendInOrder<TMessage>(in TMessage message, TimeSpan timeout)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        var step = Order!.BeginSend();
        bool wasSent = false;
        try
        {
            var outcome = _outbound!.Add(message, timeout);
            wasSent = outcome == EnqueueResult.Sent;
            if (wasSent)
            {
                Superseded?.Invoke();
            }

            return outcome;
        }
        finally
        {
            Order.EndSend(step, wasSent);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private DequeueResult ReceiveBlocking<TReader>(ref TReader reader, TimeSpan timeout)
        where TReader : struct, IMessageReader, allows ref struct
    {
        _outbound?.FlushNow();
        return Loop.IsCallerDriven ? ReceiveDrivingLoop(ref reader, timeout) : _inbound!.Take(ref reader, Options.Attempts, timeout);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask SendSlowlyAsync(ReadOnlyMemory<byte> frame, CancellationToken cancellation)
    {
        do
        {
            await _outbound!.WaitAsync(new Encoders.OneFrame(frame.Span).EncodedSize, cancellation).ConfigureAwait(false);
        }
        while (!TrySendMessage(new Encoders.OneFrame(frame.Span), TimeSpan.Zero));
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask SendSlowlyAsync(ZeroMqMessage message, CancellationToken cancellation)
    {
        do
        {
            await _outbound!.WaitAsync(message.Encoded.Length, cancellation).ConfigureAwait(false);
        }
        while (!TrySendMessage(new Encoders.Verbatim(message.Encoded), TimeSpan.Zero));
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask ReceiveSlowlyAsync(ZeroMqMessage message, CancellationToken cancellation)
    {
        var reader = new MessageReader(message);
        do
        {
            await WaitForMessageAsync(cancellation).ConfigureAwait(false);
        }
        while (!TryReceiveMessage(ref reader, TimeSpan.Zero, out _));
    }

    [DoesNotReturn]
    private void ThrowNotSent(EnqueueResult outcome)
    {
        if (outcome == EnqueueResult.Closed)
        {
            ThrowClosed();
        }

        throw new TimeoutException($"No peer had room for a message within {Options.SendTimeout}.");
    }

    [DoesNotReturn]
    private void ThrowNotReceived(DequeueResult outcome)
    {
        if (outcome == DequeueResult.Closed)
        {
            ThrowClosed();
        }

        throw new TimeoutException($"No message came within {Options.ReceiveTimeout}.");
    }

    [DoesNotReturn]
    private void ThrowClosed() => throw new ObjectDisposedException(GetType().Name);
}
