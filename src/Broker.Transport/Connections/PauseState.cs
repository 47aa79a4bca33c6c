namespace Broker.Transport;

/// <summary>
/// The reasons for which a connection receives and delivers nothing at present. The methods change the state, and their
/// results state what the <see cref="ReceiveGate"/> must do. On the connection's loop.
/// </summary>
internal struct PauseState
{
    private PauseReasons _reasons;

    [Flags]
    private enum PauseReasons : byte
    {
        None,

        /// <summary>The handler paused receiving and has not resumed it.</summary>
        Handler = 1,

        /// <summary>
        /// The connection waits until its loop delivers bytes to it again. It is in the loop's list of such
        /// connections.
        /// </summary>
        Yielded = 2,

        /// <summary>The TLS handshake has received more bytes than it may buffer.</summary>
        Handshake = 4,

        /// <summary>The connection needs memory, and the budget for received bytes is used up.</summary>
        Memory = 8,

        /// <summary>The handler has delayed receiving for a limited time.</summary>
        Delay = 16,
    }

    /// <summary>Whether there is any reason to pause.</summary>
    internal readonly bool HasReasons => _reasons != PauseReasons.None;

    /// <summary>Whether the handler has paused receiving.</summary>
    internal readonly bool IsPausedByHandler => (_reasons & PauseReasons.Handler) != PauseReasons.None;

    /// <summary>Whether the pause ends in the loop's next iteration.</summary>
    internal readonly bool IsYielded => (_reasons & PauseReasons.Yielded) != PauseReasons.None;

    /// <summary>Whether the TLS handshake has paused receiving.</summary>
    internal readonly bool IsPausedByHandshake => (_reasons & PauseReasons.Handshake) != PauseReasons.None;

    /// <summary>Whether the connection waits for memory.</summary>
    internal readonly bool IsWaitingForMemory => (_reasons & PauseReasons.Memory) != PauseReasons.None;

    /// <summary>The handler pauses. Returns false if it has already paused.</summary>
    internal bool TryPause()
    {
        if (IsPausedByHandler)
        {
            return false;
        }

        _reasons = (_reasons & ~PauseReasons.Yielded) | PauseReasons.Handler;
        return true;
    }

    /// <summary>
    /// The handler resumes, so the loop must deliver in its next iteration. Returns false if the handler has not
    /// paused.
    /// </summary>
    internal bool TryResume()
    {
        if (!IsPausedByHandler)
        {
            return false;
        }

        _reasons = (_reasons & ~PauseReasons.Handler) | PauseReasons.Yielded;
        return true;
    }

    /// <summary>The handler yields. Returns false if it has already paused or yielded.</summary>
    internal bool TryYield()
    {
        if ((_reasons & (PauseReasons.Handler | PauseReasons.Yielded)) != PauseReasons.None)
        {
            return false;
        }

        _reasons |= PauseReasons.Yielded;
        return true;
    }

    /// <summary>The loop's next iteration has come. Returns false if the connection did not wait for it.</summary>
    internal bool TryEndYield()
    {
        bool wasYielded = IsYielded;
        _reasons &= ~PauseReasons.Yielded;
        return wasYielded;
    }

    /// <summary>The connection begins to wait for memory.</summary>
    internal void PauseForMemory() => _reasons |= PauseReasons.Memory;

    /// <summary>The connection has memory. Returns whether it has waited.</summary>
    internal bool TryEndMemoryWait()
    {
        bool waited = IsWaitingForMemory;
        _reasons &= ~PauseReasons.Memory;
        return waited;
    }

    /// <summary>The handler delays receiving. Returns false if a delay is already active.</summary>
    internal bool TryDelay()
    {
        bool isDelayed = (_reasons & PauseReasons.Delay) != PauseReasons.None;
        _reasons |= PauseReasons.Delay;
        return !isDelayed;
    }

    /// <summary>The time of the delay has passed. Returns whether the delay was active.</summary>
    internal bool TryEndDelay()
    {
        bool wasDelayed = (_reasons & PauseReasons.Delay) != PauseReasons.None;
        _reasons &= ~PauseReasons.Delay;
        return wasDelayed;
    }

    /// <summary>The TLS handshake has enough bytes.</summary>
    internal void PauseForHandshake() => _reasons |= PauseReasons.Handshake;

    /// <summary>The TLS handshake needs bytes. Returns whether it had paused.</summary>
    internal bool TryResumeHandshake()
    {
        bool wasPaused = IsPausedByHandshake;
        _reasons &= ~PauseReasons.Handshake;
        return wasPaused;
    }

    /// <summary>Removes all reasons. Returns whether there was one.</summary>
    internal bool Clear()
    {
        bool had = HasReasons;
        _reasons = PauseReasons.None;
        return had;
    }
}
