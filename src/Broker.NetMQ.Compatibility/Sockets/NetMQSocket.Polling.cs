namespace NetMQ;

public abstract partial class NetMQSocket
{
    private readonly SocketHandlers _handlers;

    /// <inheritdoc/>
    public event EventHandler<NetMQSocketEventArgs>? ReceiveReady
    {
        add
        {
            _handlers.ReceiveReady += value;
            Readiness.WakeAll();
        }

        remove => _handlers.ReceiveReady -= value;
    }

    /// <inheritdoc/>
    public event EventHandler<NetMQSocketEventArgs>? SendReady
    {
        add
        {
            _handlers.SendReady += value;
            Readiness.WakeAll();
        }

        remove => _handlers.SendReady -= value;
    }

    /// <inheritdoc/>
    public bool HasIn => Ready(PollEvents.PollIn) != PollEvents.None;

    /// <inheritdoc/>
    public bool HasOut => Ready(PollEvents.PollOut) != PollEvents.None;

    /// <summary>Wakes the threads that wait for this socket.</summary>
    internal SocketReadiness Readiness { get; } = new();

    /// <summary>The events that have a handler.</summary>
    internal PollEvents Wanted => _handlers.Wanted;

    private bool MayReceive => Started.Receive is not null && (!IsAlternating || !MaySend || !_incoming.IsEmpty);

    private bool MaySendNow
        => Started.Send is not null && (!IsAlternating || ((MaySend || Settings.Relaxed) && _incoming.IsEmpty));

    /// <inheritdoc/>
    public void Poll() => Poll(SendReceiveConstants.InfiniteTimeout);

    /// <inheritdoc/>
    public bool Poll(TimeSpan timeout)
    {
        PollEvents events = Poll(Wanted, timeout);
        Raise(this, events);
        return events != PollEvents.None;
    }

    /// <inheritdoc/>
    public PollEvents Poll(PollEvents pollEvents, TimeSpan timeout)
    {
        PollEvents ready = Ready(pollEvents);
        return ready != PollEvents.None || timeout == TimeSpan.Zero
            ? ready
            : SocketWait.For(this, pollEvents, SocketSettings.Limit(timeout));
    }

    /// <summary>Calls the handlers of the events that a poll has found.</summary>
    internal void Raise(object sender, PollEvents events) => _handlers.Raise(sender, events);

    /// <summary>Returns the operations that the socket is ready for at this moment.</summary>
    internal virtual PollEvents ReadyNow(PollEvents wanted)
    {
        PollEvents ready = PollEvents.None;
        if (wanted.HasIn() && MayReceive && (!_incoming.IsEmpty || Started.Receive!.HasMessages))
        {
            ready |= PollEvents.PollIn;
        }

        if (wanted.HasOut() && MaySendNow && Started.Send!.HasRoom)
        {
            ready |= PollEvents.PollOut;
        }

        return ready;
    }

    /// <summary>Whether the library was closed under the socket.</summary>
    internal bool IsTerminated => _started is { Socket.IsClosed: true };

    internal void ThrowIfClosed()
    {
        ThrowIfDisposed();
        if (IsTerminated)
        {
            throw new TerminatingException(null, "The library was closed.");
        }
    }

    // As ReadyNow, but counts a message that another socket of this process has sent and that is on its way.
    private PollEvents Ready(PollEvents wanted)
    {
        PollEvents ready = ReadyNow(wanted);
        return ready != wanted && HasSettled() ? ReadyNow(wanted) : ready;
    }
}
