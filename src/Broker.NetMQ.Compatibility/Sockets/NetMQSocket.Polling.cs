using System.Diagnostics;

namespace NetMQ;

public abstract partial class NetMQSocket
{
    private readonly NetMQSocketEventArgs _args;
    private EventHandler<NetMQSocketEventArgs>? _receiveReady;
    private EventHandler<NetMQSocketEventArgs>? _sendReady;

    /// <inheritdoc/>
    public event EventHandler<NetMQSocketEventArgs>? ReceiveReady
    {
        add
        {
            _receiveReady += value;
            HandlersChanged?.Invoke(this);
        }

        remove
        {
            _receiveReady -= value;
            HandlersChanged?.Invoke(this);
        }
    }

    /// <inheritdoc/>
    public event EventHandler<NetMQSocketEventArgs>? SendReady
    {
        add
        {
            _sendReady += value;
            HandlersChanged?.Invoke(this);
        }

        remove
        {
            _sendReady -= value;
            HandlersChanged?.Invoke(this);
        }
    }

    /// <summary>Tells a poller that a handler was added or removed.</summary>
    internal event Action<NetMQSocket>? HandlersChanged;

    /// <summary>Tells a poller that the socket is about to be closed.</summary>
    internal event Action<NetMQSocket>? Disposing;

    /// <inheritdoc/>
    public bool HasIn => Ready(PollEvents.PollIn) != PollEvents.None;

    /// <inheritdoc/>
    public bool HasOut => Ready(PollEvents.PollOut) != PollEvents.None;

    /// <summary>The events for which the socket has handlers.</summary>
    internal PollEvents Wanted => (_receiveReady is null ? PollEvents.None : PollEvents.PollIn)
        | (_sendReady is null ? PollEvents.None : PollEvents.PollOut);

    /// <summary>Whether a frame of a received message has not been taken.</summary>
    internal bool HasFrames => !_incoming.IsEmpty;

    /// <inheritdoc/>
    public void Poll() => Poll(SendReceiveConstants.InfiniteTimeout);

    /// <inheritdoc/>
    public bool Poll(TimeSpan timeout)
    {
        PollEvents events = Poll(Wanted, timeout);
        Raise(events);
        return events != PollEvents.None;
    }

    /// <inheritdoc/>
    public PollEvents Poll(PollEvents pollEvents, TimeSpan timeout)
    {
        timeout = SocketSettings.Limit(timeout);
        PollEvents ready = Ready(pollEvents);
        if (ready == PollEvents.None && pollEvents == PollEvents.PollIn && MayReceive)
        {
            return HasMessage(timeout) ? PollEvents.PollIn : PollEvents.None;
        }

        long start = Stopwatch.GetTimestamp();
        while (ready == PollEvents.None && (timeout < TimeSpan.Zero || Stopwatch.GetElapsedTime(start) < timeout))
        {
            Thread.Sleep(1);
            ready = Ready(pollEvents);
        }

        return ready;
    }

    /// <summary>Raises the events that a poll has found.</summary>
    internal void Raise(PollEvents events)
    {
        if (_isDisposed || events == PollEvents.None)
        {
            return;
        }

        _args.Set(events);
        if (events.HasIn())
        {
            _receiveReady?.Invoke(this, _args);
        }

        if (events.HasOut())
        {
            _sendReady?.Invoke(this, _args);
        }
    }

    internal PollEvents Ready(PollEvents wanted)
    {
        StartedSocket started = Started;
        PollEvents ready = PollEvents.None;
        if (wanted.HasIn() && MayReceive
            && (HasFrames || started.Receive!.HasMessages || (HasSettled() && started.Receive!.HasMessages)))
        {
            ready |= PollEvents.PollIn;
        }

        if (wanted.HasOut() && MaySendNow
            && (started.Send!.HasRoom || (HasSettled() && started.Send!.HasRoom)))
        {
            ready |= PollEvents.PollOut;
        }

        return ready;
    }

    internal StartedSocket Watch()
    {
        _isUsed = true;
        return Started;
    }

    private bool MayReceive => Started.Receive is not null && (!IsAlternating || !MaySend || HasFrames);

    private bool MaySendNow
        => Started.Send is not null && (!IsAlternating || ((MaySend || Settings.Relaxed) && !HasFrames));
}
