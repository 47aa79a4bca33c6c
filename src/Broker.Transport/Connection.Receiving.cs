namespace Broker.Transport;

// When bytes are received and delivered: the handler pauses, resumes and yields.
public abstract partial class Connection
{
    private ReceiveGate _gate;
    private LoopTimer? _delay;

    /// <summary>Whether <see cref="PauseReceiving"/> is in force. On the loop.</summary>
    public bool IsReceivingPaused => _gate.IsPausedByHandler;

    /// <summary>
    /// Whether nothing is received because the group's <see cref="EventLoopGroup.ReceiveBudget"/> is used up. A peer
    /// whose bytes are not read cannot answer. On the loop.
    /// </summary>
    public bool IsWaitingForMemory => _gate.IsWaitingForMemory;

    /// <summary>
    /// The most unconsumed bytes that reads collect, for a peer that is not authenticated yet. A handler that needs more
    /// gets them in small reads. 0, the default, for no limit. On the loop.
    /// </summary>
    public int MaxReadBytes { get; set; }

    /// <summary>
    /// Whether nothing may be received or delivered now. During a handshake nothing is passed to the handler, so the
    /// handler's pause does not apply. On the loop.
    /// </summary>
    internal bool IsInboundPaused
        => _gate.HasReasons && (Layer is not { IsSecured: false } || _gate.IsPausedByHandshake);

    /// <summary>Whether the pause ends in the loop's next iteration. On the loop.</summary>
    private protected bool IsYielded => _gate.IsYielded;

    /// <summary>The reasons why nothing is received at present. On the loop.</summary>
    private protected ref ReceiveGate Gate => ref _gate;

    /// <summary>
    /// Stops receiving and delivering until <see cref="ResumeReceiving"/>. Bytes that were received and not consumed
    /// are kept, including those that the current call leaves. All other bytes stay with the operating system, the
    /// pipe or the peer, so the peer has to wait. On the loop, inside or outside a call of the handler; it may be
    /// called repeatedly.
    /// </summary>
    /// <remarks>
    /// <para>The end of the peer's stream closes the connection once everything that the peer sent before it has been
    /// delivered. So the end is reported during a pause if nothing is left to deliver, and after the pause otherwise.
    /// Bytes that were sent before a failure may be lost.</para>
    /// <para>The transports differ in how soon they report the end. Sockets on Linux report it at once, whatever
    /// waits, and a reset too. Portable sockets report it at once unless bytes wait in the kernel. Pipes report it at
    /// once unless bytes wait in the pipe. In-process links report it at once. Over TLS, bytes of TLS itself, such as
    /// close_notify, may wait in the kernel and count as waiting bytes.</para>
    /// <para>A TLS handshake continues during a pause. <see cref="Close"/> ends the pause; bytes that are received
    /// afterwards are dropped.</para>
    /// </remarks>
    /// <exception cref="InvalidOperationException">The caller is not on the loop.</exception>
    public void PauseReceiving()
    {
        RequireLoop();
        if (IsOpen && _gate.TryPause())
        {
            OnPaused();
        }
    }

    /// <summary>
    /// Ends a pause. The handler gets the unconsumed bytes again, unless it needs more of them, in a later iteration
    /// of the loop and never within this call; then receiving continues. On the loop. It does nothing if there is no
    /// pause.
    /// </summary>
    /// <exception cref="InvalidOperationException">The caller is not on the loop.</exception>
    public void ResumeReceiving()
    {
        RequireLoop();
        if (_gate.TryResume())
        {
            Loop.ScheduleDelivery(this);
        }
    }

    /// <summary>
    /// Lets other connections run first. The bytes that the current call leaves unconsumed are passed to the handler
    /// again in the loop's next iteration, after all ready connections and posted actions have run and written bytes
    /// were flushed. Nothing is received for this connection before that. Called in
    /// <see cref="ConnectionHandler.OnReceived"/>.
    /// </summary>
    /// <remarks>Use it if a few bytes cause much work, so that one peer does not delay all others.</remarks>
    /// <exception cref="InvalidOperationException">The caller is not on the loop.</exception>
    public void YieldReceiving()
    {
        RequireLoop();
        if (IsOpen && _gate.TryYield())
        {
            Loop.ScheduleDelivery(this);
        }
    }

    /// <summary>
    /// Stops receiving and delivering for a limited time, so that the peer has to wait. The bytes that the current call
    /// leaves unconsumed are passed to the handler again after it. Other pauses are not affected: receiving continues
    /// when the last of them ends. Does nothing if a delay is in force already. On the loop.
    /// </summary>
    /// <param name="delay">The time, with the precision of <see cref="EventLoop.StartTimer"/>.</param>
    /// <exception cref="InvalidOperationException">The caller is not on the loop.</exception>
    public void DelayReceiving(TimeSpan delay)
    {
        RequireLoop();
        if (!IsOpen || !_gate.TryDelay())
        {
            return;
        }

        OnPaused();
        if (_delay is null)
        {
            _delay = Loop.StartTimer(delay, EndDelay);
        }
        else
        {
            _delay.Restart(delay);
        }
    }

    /// <summary>
    /// Asks to run a costly step: one that takes a good part of a millisecond, like a command of a handshake with
    /// public-key cryptography. One iteration of the loop runs a few such steps of all its connections together, so
    /// that many handshakes at once do not delay other connections. Called in
    /// <see cref="ConnectionHandler.OnReceived"/>.
    /// </summary>
    /// <returns>
    /// True if the step may run now. False if it must wait: the handler then leaves the bytes of the step unconsumed,
    /// and gets them again in a later iteration, in the order in which the connections asked. Nothing is received for
    /// this connection before that.
    /// </returns>
    /// <exception cref="InvalidOperationException">The caller is not on the loop.</exception>
    public bool TryBeginCostlyStep()
    {
        RequireLoop();
        if (Loop.TryBeginCostlyStep(this))
        {
            return true;
        }

        if (IsOpen && _gate.TryYield())
        {
            Loop.ScheduleCostlyStep(this);
        }

        return false;
    }

    /// <summary>
    /// Closes the connection with a linger time, as <see cref="Close"/> does, but receives nothing more. So a peer that
    /// is refused in the middle of a message cannot send the rest of it, or anything behind it, and knows that. On the
    /// loop.
    /// </summary>
    /// <exception cref="InvalidOperationException">The caller is not on the loop.</exception>
    public void CloseUnread(TimeSpan linger)
    {
        RequireLoop();
        Close(linger);
        if (IsLingering && _gate.TryPause())
        {
            OnPaused();
        }
    }

    /// <summary>The loop delivers the unconsumed bytes again. On the loop.</summary>
    internal void DeliverAfterYield()
    {
        // The handler may have paused or closed the connection since, or the connection is in the list twice.
        if (!IsClosed && _gate.TryEndYield() && !IsInboundPaused)
        {
            ContinueReceiving();
        }
    }

    /// <summary>The memory that the connection waits for is reserved for it. On the loop.</summary>
    internal void ResumeAfterMemoryWait()
    {
        if (!IsClosed && _gate.TryEndMemoryWait() && !IsInboundPaused)
        {
            ContinueReceiving();
        }
        else
        {
            // The handler pauses. The next read asks again.
            _inbound.Memory.ReleaseReserved();
        }
    }

    private void EndDelay()
    {
        if (!IsClosed && _gate.TryEndDelay() && !IsInboundPaused)
        {
            ContinueReceiving();
        }
    }

    /// <summary>
    /// Ends all pauses: received bytes are dropped from now on, and must be read for that. On the loop.
    /// </summary>
    internal void ClearPauses()
    {
        if (_gate.Clear())
        {
            RearmReceive();
        }
    }

    /// <summary>
    /// Delivers the unconsumed bytes, then continues to receive. On the loop, while no pause is in force.
    /// </summary>
    private protected abstract void ContinueReceiving();

    /// <summary>Asks the transport again to report readable bytes, if it had stopped. On the loop.</summary>
    private protected abstract void RearmReceive();

    /// <summary>
    /// The handler has paused: for transports that must ask for a report of the stream's end. On the loop.
    /// </summary>
    private protected virtual void OnPaused()
    {
    }

    private void RequireLoop()
    {
        if (!Loop.IsCurrent)
        {
            throw new InvalidOperationException("Receiving can be paused, resumed and yielded on the connection's loop only.");
        }
    }
}
