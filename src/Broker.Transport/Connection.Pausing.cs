namespace Broker.Transport;

// A handler that cannot take more for now says so, and the peer is held up by what it has sent itself.
public abstract partial class Connection
{
    private Holds _holds;

    [Flags]
    private enum Holds : byte
    {
        None,

        /// <summary>The handler has asked for it, until it asks for the contrary.</summary>
        Paused = 1,

        /// <summary>Until the loop delivers again, for which the connection is on its list.</summary>
        Yielded = 2,

        /// <summary>The handshake of TLS has more ahead than it may have.</summary>
        Handshake = 4,
    }

    /// <summary>Whether <see cref="PauseReceiving"/> is in force. On the loop.</summary>
    public bool IsReceivingPaused => (_holds & Holds.Paused) != Holds.None;

    /// <summary>Whether nothing may be received or delivered now. On the loop.</summary>
    internal bool IsHeld => _holds != Holds.None && HoldsNow();

    /// <summary>Whether this is over in a turn. On the loop.</summary>
    private protected bool IsYielded => (_holds & Holds.Yielded) != Holds.None;

    /// <summary>
    /// Receives and delivers no more until <see cref="ResumeReceiving"/>. What has been received and is not consumed, including
    /// what the call under way leaves, is kept as it is; the rest stays with the operating system, the pipe or the peer, which
    /// is thereby held up. On the loop, in a call of the handler or outside; it may be repeated.
    /// </summary>
    /// <remarks>
    /// <para>The end of the peer's stream ends the connection once all that was sent before it has been delivered. So it is told
    /// during a pause where nothing is left to deliver, and otherwise after it. What was sent before a failure may be lost.</para>
    /// <para>How soon that is told differs. Sockets on Linux: at once, whatever waits; a reset too. Portable sockets: at once
    /// unless bytes wait in the kernel. Pipes: at once unless bytes wait in the pipe. In process: at once. Over TLS bytes of the
    /// protocol itself, such as its goodbye, may wait in the kernel and stand for others.</para>
    /// <para>A handshake of TLS that is under way goes on. <see cref="Close"/> ends the pause: what is received then is thrown away.</para>
    /// </remarks>
    /// <exception cref="InvalidOperationException">Not on the loop.</exception>
    public void PauseReceiving()
    {
        RequireLoop();
        if (IsOpen && (_holds & Holds.Paused) == Holds.None)
        {
            _holds = (_holds & ~Holds.Yielded) | Holds.Paused;
            OnPaused();
        }
    }

    /// <summary>
    /// Ends a pause. What was kept is given to the handler again, unless it said that it needs more, in a turn of the loop of its
    /// own and never in this call; then receiving goes on. On the loop; nothing happens when there is no pause.
    /// </summary>
    /// <exception cref="InvalidOperationException">Not on the loop.</exception>
    public void ResumeReceiving()
    {
        RequireLoop();
        if ((_holds & Holds.Paused) != Holds.None)
        {
            _holds = (_holds & ~Holds.Paused) | Holds.Yielded;
            Loop.DeliverLater(this);
        }
    }

    /// <summary>
    /// Gives the others their turn: what the call under way leaves unconsumed is given to the handler again in the loop's next turn,
    /// after all connections that are ready and all posted actions had theirs and what was staged was handed over. Nothing is
    /// received for this connection before. In <see cref="ConnectionHandler.OnReceived"/>.
    /// </summary>
    /// <remarks>For work that is larger than its bytes: so one peer's does not become everybody's wait.</remarks>
    /// <exception cref="InvalidOperationException">Not on the loop.</exception>
    public void YieldReceiving()
    {
        RequireLoop();
        if (IsOpen && (_holds & (Holds.Paused | Holds.Yielded)) == Holds.None)
        {
            _holds |= Holds.Yielded;
            Loop.DeliverLater(this);
        }
    }

    /// <summary>The loop's turn has come for what was kept. On the loop.</summary>
    internal void DeliverAgain()
    {
        // Paused since, closed since, or on the list twice.
        if ((_holds & Holds.Yielded) == Holds.None || IsClosed)
        {
            return;
        }

        _holds &= ~Holds.Yielded;
        if (!IsHeld)
        {
            ContinueReceiving();
        }
    }

    /// <summary>The handshake of TLS has enough for now, or no more so. On the loop.</summary>
    private protected void HoldForHandshake(bool enough)
    {
        if (enough)
        {
            _holds |= Holds.Handshake;
        }
        else if ((_holds & Holds.Handshake) != Holds.None)
        {
            _holds &= ~Holds.Handshake;
            ReceiveOn();
        }
    }

    /// <summary>What comes now is thrown away, and must be read for that. On the loop.</summary>
    private void LiftHolds()
    {
        if (_holds != Holds.None)
        {
            _holds = Holds.None;
            ReceiveOn();
        }
    }

    // While a handshake is under way nothing goes to the handler, and a pause does not concern it.
    private bool HoldsNow() => Layer is { IsSecured: false } ? (_holds & Holds.Handshake) != Holds.None : _holds != Holds.None;

    private void RequireLoop()
    {
        if (!Loop.IsCurrent)
        {
            throw new InvalidOperationException("Receiving is paused and resumed on the connection's loop.");
        }
    }

    /// <summary>Delivers what is here, then receives on. On the loop, not while held.</summary>
    private protected abstract void ContinueReceiving();

    /// <summary>Asks to be told of something to receive, where the transport has stopped telling. On the loop.</summary>
    private protected abstract void ReceiveOn();

    /// <summary>The handler pauses. For transports that must ask to be told of the end. On the loop.</summary>
    private protected virtual void OnPaused()
    {
    }
}
