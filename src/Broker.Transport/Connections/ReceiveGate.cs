namespace Broker.Transport;

/// <summary>
/// Decides when a connection receives and delivers. The handler can pause, delay and yield. A TLS handshake and the
/// budget for received bytes can pause the connection too. On the connection's loop.
/// </summary>
internal sealed class ReceiveGate(Connection connection)
{
    private PauseState _pauses;
    private LoopTimer? _delay;

    /// <summary>
    /// Whether nothing may be received or delivered now. During a handshake the handler gets no bytes, so only a pause
    /// of the handshake itself counts.
    /// </summary>
    internal bool IsPaused
        => _pauses.HasReasons && (connection.Layer is not { IsSecured: false } || _pauses.IsPausedByHandshake);

    /// <inheritdoc cref="PauseState.IsPausedByHandler"/>
    internal bool IsPausedByHandler => _pauses.IsPausedByHandler;

    /// <inheritdoc cref="PauseState.IsYielded"/>
    internal bool IsYielded => _pauses.IsYielded;

    /// <inheritdoc cref="PauseState.IsWaitingForMemory"/>
    internal bool IsWaitingForMemory => _pauses.IsWaitingForMemory;

    private EventLoop Loop => connection.Loop;

    /// <inheritdoc cref="Connection.PauseReceiving"/>
    internal void Pause()
    {
        RequireLoop();
        if (connection.IsOpen && _pauses.TryPause())
        {
            connection.Transport.OnPaused();
        }
    }

    /// <inheritdoc cref="Connection.ResumeReceiving"/>
    internal void Resume()
    {
        RequireLoop();
        if (_pauses.TryResume())
        {
            Loop.ScheduleDelivery(connection);
        }
    }

    /// <inheritdoc cref="Connection.YieldReceiving"/>
    internal void Yield()
    {
        RequireLoop();
        if (connection.IsOpen && _pauses.TryYield())
        {
            Loop.ScheduleDelivery(connection);
        }
    }

    /// <inheritdoc cref="Connection.DelayReceiving"/>
    internal void Delay(TimeSpan delay)
    {
        RequireLoop();
        if (!connection.IsOpen || !_pauses.TryDelay())
        {
            return;
        }

        connection.Transport.OnPaused();
        if (_delay is null)
        {
            _delay = Loop.StartTimer(delay, EndDelay);
        }
        else
        {
            _delay.Restart(delay);
        }
    }

    /// <inheritdoc cref="Connection.TryBeginCostlyStep"/>
    internal bool TryBeginCostlyStep()
    {
        RequireLoop();
        if (Loop.TryBeginCostlyStep(connection))
        {
            return true;
        }

        if (connection.IsOpen && _pauses.TryYield())
        {
            Loop.ScheduleCostlyStep(connection);
        }

        return false;
    }

    /// <inheritdoc cref="Connection.CloseUnread"/>
    internal void CloseUnread(TimeSpan linger)
    {
        RequireLoop();
        connection.Close(linger);
        if (connection.IsLingering && _pauses.TryPause())
        {
            connection.Transport.OnPaused();
        }
    }

    /// <inheritdoc cref="PauseState.PauseForMemory"/>
    internal void PauseForMemory() => _pauses.PauseForMemory();

    /// <inheritdoc cref="PauseState.PauseForHandshake"/>
    internal void PauseForHandshake() => _pauses.PauseForHandshake();

    /// <summary>The TLS handshake needs bytes, so its pause ends.</summary>
    internal void ResumeHandshake()
    {
        if (!connection.IsClosed && _pauses.TryResumeHandshake())
        {
            connection.Transport.RearmReceive();
        }
    }

    /// <summary>Called when the loop delivers the unconsumed bytes again after a yield or a pause.</summary>
    internal void DeliverAfterYield()
    {
        // Meanwhile the handler may have paused or closed the connection. Or the connection is in the list twice.
        if (!connection.IsClosed && _pauses.TryEndYield() && !IsPaused)
        {
            connection.Transport.ContinueReceiving();
        }
    }

    /// <summary>Called when the memory that the connection waits for is reserved for it.</summary>
    internal void ResumeAfterMemoryWait()
    {
        if (!connection.IsClosed && _pauses.TryEndMemoryWait() && !IsPaused)
        {
            connection.Transport.ContinueReceiving();
        }
        else
        {
            // The handler pauses, so the reservation is given up. The next read asks for memory again.
            connection.ReceiveMemory.ReleaseReserved();
        }
    }

    /// <summary>Ends all pauses. Received bytes are dropped from now on, and must be read to be dropped.</summary>
    internal void EndPauses()
    {
        if (_pauses.Clear())
        {
            connection.Transport.RearmReceive();
        }
    }

    /// <summary>The connection is closed, so nothing is received any more.</summary>
    internal void Close() => _pauses.Clear();

    private void EndDelay()
    {
        if (!connection.IsClosed && _pauses.TryEndDelay() && !IsPaused)
        {
            connection.Transport.ContinueReceiving();
        }
    }

    private void RequireLoop()
    {
        if (!Loop.IsCurrent)
        {
            throw new InvalidOperationException("Receiving can be paused, resumed and yielded on the connection's loop only.");
        }
    }
}
