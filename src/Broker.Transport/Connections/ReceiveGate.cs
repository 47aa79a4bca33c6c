namespace Broker.Transport;

/// <summary>
/// Decides when a connection receives and delivers. The handler pauses, delays and yields; a TLS handshake and the
/// budget for received bytes pause it too. On the connection's loop.
/// </summary>
internal sealed class ReceiveGate(Connection connection)
{
    private PauseState _pauses;
    private LoopTimer? _delay;

    /// <summary>
    /// Whether nothing may be received or delivered now. During a handshake nothing is passed to the handler, so the
    /// handler's pause does not apply.
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

    /// <summary>The TLS handshake needs bytes.</summary>
    internal void ResumeHandshake()
    {
        if (!connection.IsClosed && _pauses.TryResumeHandshake())
        {
            connection.Transport.RearmReceive();
        }
    }

    /// <summary>The loop delivers the unconsumed bytes again.</summary>
    internal void DeliverAfterYield()
    {
        // The handler may have paused or closed the connection since, or the connection is in the list twice.
        if (!connection.IsClosed && _pauses.TryEndYield() && !IsPaused)
        {
            connection.Transport.ContinueReceiving();
        }
    }

    /// <summary>The memory that the connection waits for is reserved for it.</summary>
    internal void ResumeAfterMemoryWait()
    {
        if (!connection.IsClosed && _pauses.TryEndMemoryWait() && !IsPaused)
        {
            connection.Transport.ContinueReceiving();
        }
        else
        {
            // The handler pauses. The next read asks again.
            connection.ReceiveMemory.ReleaseReserved();
        }
    }

    /// <summary>Ends all pauses: received bytes are dropped from now on, and must be read for that.</summary>
    internal void EndPauses()
    {
        if (_pauses.Clear())
        {
            connection.Transport.RearmReceive();
        }
    }

    /// <summary>The connection is closed: nothing is received any more.</summary>
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
