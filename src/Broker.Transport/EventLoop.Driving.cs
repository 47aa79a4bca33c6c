namespace Broker.Transport;

// A caller-driven loop has no thread of its own: a thread of the application runs its iterations.
public sealed partial class EventLoop
{
    /// <summary>Whether this loop has no thread of its own: <see cref="RunOnce"/> runs one iteration.</summary>
    public bool IsCallerDriven => _driver is not null;

    /// <summary>
    /// Makes the calling thread the thread of this loop for the lifetime of the loop, like the first
    /// <see cref="RunOnce"/>. This is for work that must run on the loop's thread before the first iteration. If the
    /// calling thread is already the thread of the loop, the method does nothing.
    /// </summary>
    /// <exception cref="InvalidOperationException">
    /// The loop has a thread of its own, or another thread is already the thread of this loop.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The group has been disposed.</exception>
    public void Attach() => Enter(isIteration: false).Leave();

    /// <summary>
    /// Runs one iteration: waits until there is something to do, calls the handlers of ready connections, runs posted
    /// actions and due timers, and flushes written bytes. Call it on the thread that first called this method or
    /// <see cref="Attach"/>.
    /// </summary>
    /// <param name="timeout">
    /// The longest wait, by the system's clock. <see cref="TimeSpan.Zero"/> does not wait, and
    /// <see cref="Timeout.InfiniteTimeSpan"/> waits without a limit. The method may return early. The wait begins with
    /// at most <see cref="EventLoopOptions.IdlePolls"/> polls, and with fewer polls if earlier polls have found
    /// nothing.
    /// </param>
    /// <returns>
    /// Whether there was something to do. A wake-up by another thread counts too. To do everything that can be done
    /// now, call this method with <see cref="TimeSpan.Zero"/> until it returns false.
    /// </returns>
    /// <exception cref="InvalidOperationException">
    /// The loop has a thread of its own, or another thread is the thread of this loop, or a handler or callback of a
    /// running iteration calls this method.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The group has been disposed.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative and not infinite.</exception>
    public bool RunOnce(TimeSpan timeout)
    {
        if (timeout != Timeout.InfiniteTimeSpan)
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(timeout, TimeSpan.Zero);
        }

        int most = timeout < TimeSpan.Zero ? Timeout.Infinite : (int)Math.Min(Math.Ceiling(timeout.TotalMilliseconds), int.MaxValue);
        LoopDriver driver = Enter(isIteration: true);
        try
        {
            int ready = _poller.Wait(0);
            Pacing.CountPoll();
            // Timers are checked in each iteration, because any time may have passed since the caller's previous
            // iteration.
            bool isDue = _timers.MillisecondsToNext() == 0;
            if (ready == 0 && !isDue && most != 0 && !HasWork)
            {
                ready = _wait.Wait(most);
                isDue = _timers.MillisecondsToNext() == 0;
            }

            _timers.ReadClock();
            bool hasWork = ready > 0 || isDue || HasWork;
            RunIteration(ready);
            return hasWork;
        }
        finally
        {
            driver.Leave();
        }
    }

    /// <summary>Begins to end a caller-driven loop on the calling thread. Returns false if it has ended.</summary>
    /// <exception cref="InvalidOperationException">The loop is in an iteration.</exception>
    internal bool TryBeginEnd()
    {
        if (!_driver!.TryBeginEnd())
        {
            return false;
        }

        // From now on, the thread that ran the loop is no longer its thread.
        _threadId = Environment.CurrentManagedThreadId;
        return true;
    }

    /// <summary>Ends the loop. Call it after <see cref="TryBeginEnd"/>, on the same thread.</summary>
    internal void EndDriven() => End();

    private LoopDriver Enter(bool isIteration)
    {
        LoopDriver driver = _driver ?? throw new InvalidOperationException(
            $"The event loop '{_name}' has a thread of its own; only a loop of a group with CallerDriven is run by its caller.");
        driver.Enter(isIteration);
        _threadId = Environment.CurrentManagedThreadId;
        return driver;
    }
}
