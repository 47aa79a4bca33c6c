using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Broker.ZeroMq;

/// <summary>
/// The sending half of a thread-safe socket: checks the messages if the socket type requires it, and adds them to the
/// send queue.
/// </summary>
internal sealed class MessageSender
{
    private readonly MessageSocket _socket;
    private readonly RequestReplyOrder? _order;
    private bool _checksBeforeSending;
    private Action? _roomCallback;

    internal MessageSender(MessageSocket socket, SendQueue queue, RequestReplyOrder? order)
    {
        _socket = socket;
        _order = order;
        _checksBeforeSending = order is not null;
        Queue = queue;
    }

    /// <summary>Whether a peer exists for a message with this first frame. Called on any thread.</summary>
    internal delegate bool RouteFinder(ReadOnlySpan<byte> firstFrame);

    internal SendQueue Queue { get; }

    /// <summary>
    /// Called after each request, which may have replaced an earlier request. Only a relaxed REQ socket sets this
    /// callback.
    /// </summary>
    internal Action? Superseded { get; set; }

    /// <summary>
    /// Checks whether a message has a peer. Only a mandatory ROUTER socket sets this function, before its first
    /// message.
    /// </summary>
    internal RouteFinder? Routes
    {
        get;
        set
        {
            field = value;
            _checksBeforeSending = true;
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    internal void Send<TMessage>(in TMessage message)
        where TMessage : struct, IRoutableEncoder, allows ref struct
    {
        TimeSpan timeout = _socket.Options.SendTimeout;
        EnqueueResult outcome = _checksBeforeSending ? AddChecked(message, timeout) : Queue.Add(message, timeout);
        if (outcome != EnqueueResult.Sent)
        {
            ThrowNotSent(outcome);
        }
    }

    internal bool TrySend<TMessage>(in TMessage message, TimeSpan timeout)
        where TMessage : struct, IRoutableEncoder, allows ref struct
    {
        EnqueueResult outcome = _checksBeforeSending ? AddChecked(message, timeout) : Queue.Add(message, timeout);
        if (outcome == EnqueueResult.Closed)
        {
            _socket.ThrowClosed();
        }

        return outcome == EnqueueResult.Sent;
    }

    internal ValueTask SendAsync(ReadOnlyMemory<byte> frame, CancellationToken cancellation)
        => TrySend(new Encoders.OneFrame(frame.Span), TimeSpan.Zero) ? default : SendSlowlyAsync(frame, cancellation);

    internal ValueTask SendAsync(ZeroMqMessage message, CancellationToken cancellation)
        => TrySend(new Encoders.Verbatim(message.Encoded), TimeSpan.Zero)
            ? default
            : SendSlowlyAsync(message, cancellation);

    /// <summary>Waits until there may be room for a message of this size or the socket is closed.</summary>
    internal ValueTask WaitForRoomAsync(int size, CancellationToken cancellation)
        => Queue.WaitAsync(size, cancellation);

    /// <summary>
    /// Registers a callback that is called on any thread when the send queue has room. Returns false if another
    /// callback is registered.
    /// </summary>
    internal bool TryWatch(Action onRoom)
    {
        if (Interlocked.CompareExchange(ref _roomCallback, onRoom, null) is not null)
        {
            return false;
        }

        Queue.OnRoom = onRoom;
        return true;
    }

    internal void Unwatch()
    {
        Queue.OnRoom = null;
        Volatile.Write(ref _roomCallback, null);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private EnqueueResult AddChecked<TMessage>(in TMessage message, TimeSpan timeout)
        where TMessage : struct, IRoutableEncoder, allows ref struct
    {
        if (_order is not null)
        {
            return AddInOrder(_order, message, timeout);
        }

        if (!message.TryGetAddress(out ReadOnlySpan<byte> address))
        {
            throw new ZeroMqUnroutableException("The message has a routing id but no frame after it.");
        }

        if (!Routes!(address))
        {
            throw new ZeroMqUnroutableException("No peer has the routing id in the message's first frame.");
        }

        return Queue.Add(message, timeout);
    }

    private EnqueueResult AddInOrder<TMessage>(RequestReplyOrder order, in TMessage message, TimeSpan timeout)
        where TMessage : struct, IRoutableEncoder, allows ref struct
    {
        RequestReplyOrder.Step step = order.BeginSend();
        bool wasSent = false;
        try
        {
            EnqueueResult outcome = Queue.Add(message, timeout);
            wasSent = outcome == EnqueueResult.Sent;
            if (wasSent)
            {
                Superseded?.Invoke();
            }

            return outcome;
        }
        finally
        {
            order.EndSend(step, wasSent);
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask SendSlowlyAsync(ReadOnlyMemory<byte> frame, CancellationToken cancellation)
    {
        int size = new Encoders.OneFrame(frame.Span).EncodedSize;
        do
        {
            await Queue.WaitAsync(size, cancellation).ConfigureAwait(false);
        }
        while (!TrySend(new Encoders.OneFrame(frame.Span), TimeSpan.Zero));
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask SendSlowlyAsync(ZeroMqMessage message, CancellationToken cancellation)
    {
        do
        {
            await Queue.WaitAsync(message.Encoded.Length, cancellation).ConfigureAwait(false);
        }
        while (!TrySend(new Encoders.Verbatim(message.Encoded), TimeSpan.Zero));
    }

    [DoesNotReturn]
    private void ThrowNotSent(EnqueueResult outcome)
    {
        if (outcome == EnqueueResult.Closed)
        {
            _socket.ThrowClosed();
        }

        throw new TimeoutException($"No peer had room for a message within {_socket.Options.SendTimeout}.");
    }
}
