namespace Broker.Transport;

// A loop without a thread of its own: a thread of the application runs its iterations.
public sealed partial class EventLoop
{
    private const int Idle = 0;
    private const int InIteration = 1;
    private const int Ended = 2;

    // Excludes a running iteration and the end of the loop from each other.
    private int _driving;
    private Thread? _driver;
    private int _driverCredit = PollCredit;

    /// <summary>
    /// Whether this loop has no thread of its own, and runs one iteration in each call of <see cref="RunOnce"/>.
    /// </summary>
    public bool IsCallerDriven => _thread is null;

    /// <summary>
    /// Makes the calling thread the thread of this loop for the lifetime of the loop, as the first
    /// <see cref="RunOnce"/> does: for work that has to run on the loop's thread before that. It does nothing on the
    /// thread that the loop already has.
    /// </summary>
    /// <exception cref="InvalidOperationException">
    /// The loop has a thread of its own, or belongs to another thread.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The group has been disposed.</exception>
    public void Attach()
    {
        Enter(isIteration: false);
        Leave();
    }

    /// <summary>
    /// Runs one iteration: waits until there is something to do, calls the handlers of ready connections, runs posted
    /// actions and due timers, and flushes written bytes. On the thread that called this method or
    /// <see cref="Attach"/> first.
    /// </summary>
    /// <param name="timeout">
    /// How long to wait at most, by the system's clock. <see cref="TimeSpan.Zero"/> does not wait, and
    /// <see cref="Timeout.InfiniteTimeSpan"/> waits without a limit. The method may return early. The wait begins with
    /// at most <see cref="EventLoopOptions.IdlePolls"/> polls, and with fewer if polls have found nothing before.
    /// </param>
    /// <returns>
    /// Whether there was something to do; a wake-up by another thread counts too. False means that there was nothing.
    /// So calling this with <see cref="TimeSpan.Zero"/> until it returns false does everything that can be done now.
    /// </returns>
    /// <exception cref="InvalidOperationException">
    /// The loop has a thread of its own, or belongs to another thread, or a handler or callback of a running iteration
    /// calls this.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The group has been disposed.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The time-out is negative and not infinite.</exception>
    public bool RunOnce(TimeSpan timeout)
    {
        if (timeout != Timeout.InfiniteTimeSpan)
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(timeout, TimeSpan.Zero);
        }

        int most = timeout < TimeSpan.Zero ? Timeout.Infinite : (int)Math.Min(Math.Ceiling(timeout.TotalMilliseconds), int.MaxValue);
        Enter(isIteration: true);
        try
        {
            int ready = _poller.Wait(0);
            Pacing.CountPoll();
            // Timers are checked in each iteration, because any time may have passed since the caller's last one.
            bool isDue = _timers.MillisecondsToNext() == 0;
            if (ready == 0 && !isDue && most != 0 && !HasWork)
            {
                _driverCredit = WaitForEvents(_driverCredit, most, ref ready);
                isDue = _timers.MillisecondsToNext() == 0;
            }

            _timers.ReadClock();
            bool hasWork = ready > 0 || isDue || HasWork;
            RunIteration(ready);
            return hasWork;
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>
    /// Begins to end a loop that has no thread of its own, on the caller's thread. Returns false if it has ended
    /// before.
    /// </summary>
    /// <exception cref="InvalidOperationException">The loop is in an iteration.</exception>
    internal bool TryBeginEnd()
    {
        switch (Interlocked.CompareExchange(ref _driving, Ended, Idle))
        {
            case Idle:
                // The thread that ran the loop runs it no more.
                _threadId = Environment.CurrentManagedThreadId;
                return true;

            case InIteration:
                throw new InvalidOperationException(
                    $"The event loop '{_name}' is in an iteration; dispose its group after RunOnce has returned.");

            default:
                return false;
        }
    }

    /// <summary>Ends the loop. After <see cref="TryBeginEnd"/>, on the same thread.</summary>
    internal void EndDriven() => End();

    private void Enter(bool isIteration)
    {
        if (_thread is not null)
        {
            throw new InvalidOperationException(
                $"The event loop '{_name}' has a thread of its own; only a loop of a group with CallerDriven is run by its caller.");
        }

        Thread caller = Thread.CurrentThread;
        int was = Interlocked.CompareExchange(ref _driving, InIteration, Idle);
        ObjectDisposedException.ThrowIf(was == Ended, Group);
        if (was == InIteration)
        {
            if (_driver != caller)
            {
                throw WrongThread();
            }

            throw new InvalidOperationException(
                $"The event loop '{_name}' is in an iteration; a handler or callback of it cannot {(isIteration ? "begin the next one" : "attach to the loop")}.");
        }

        if (_driver is null)
        {
            _driver = caller;
            _threadId = Environment.CurrentManagedThreadId;
        }
        else if (_driver != caller)
        {
            Leave();
            throw WrongThread();
        }
    }

    private void Leave() => Volatile.Write(ref _driving, Idle);

    private InvalidOperationException WrongThread()
        => new($"The event loop '{_name}' belongs to the thread that called RunOnce or Attach first; on other threads, post an action to the loop.");
}
