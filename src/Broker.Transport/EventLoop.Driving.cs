namespace Broker.Transport;

// A loop without a thread of its own: one of the application's turns it.
public sealed partial class EventLoop
{
    private const int Idle = 0;
    private const int InIteration = 1;
    private const int Ended = 2;

    // What the caller of a turn, and whoever ends the loop, excludes others with.
    private int _driving;
    private Thread? _driver;
    private int _driverCredit = PollCredit;

    /// <summary>Whether this loop has no thread of its own, and turns when <see cref="RunOnce"/> is called.</summary>
    public bool IsCallerDriven => _thread is null;

    /// <summary>
    /// Makes the calling thread the one of this loop, for as long as the loop lives, as the first <see cref="RunOnce"/> does: for what is to
    /// be done on the loop's thread before that. On the thread that is the loop's already it does nothing.
    /// </summary>
    /// <exception cref="InvalidOperationException">The loop has a thread of its own, or belongs to another one.</exception>
    /// <exception cref="ObjectDisposedException">The group has been disposed.</exception>
    public void Attach()
    {
        Enter(isIteration: false);
        Leave();
    }

    /// <summary>
    /// Does one turn: waits until there is something to do, calls the handlers of connections that are ready, runs what was posted and
    /// the timers that are due, and hands over what was written. On the thread that turned the loop first.
    /// </summary>
    /// <param name="timeout">
    /// How long to wait at most, by the system's clock; <see cref="TimeSpan.Zero"/> looks only, and
    /// <see cref="Timeout.InfiniteTimeSpan"/> waits for as long as it takes. It may return early. The wait begins with
    /// <see cref="EventLoopOptions.IdlePolls"/> looks at most, and less often if those find nothing.
    /// </param>
    /// <returns>
    /// Whether there was anything to do, be it only that another thread woke the loop. False says that nothing was: so turning with
    /// <see cref="TimeSpan.Zero"/> until it is false does all there is to do by now.
    /// </returns>
    /// <exception cref="InvalidOperationException">
    /// The loop has a thread of its own, or belongs to another one, or this is called by a handler or a callback in a turn.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The group has been disposed.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The time is negative and not the infinite one.</exception>
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
            // The timers are looked at in each turn: its caller may have let any time pass since the last one.
            bool isDue = MillisecondsToNextTimer() == 0;
            if (ready == 0 && !isDue && most != 0 && !HasWork)
            {
                _driverCredit = WaitForEvents(_driverCredit, most, ref ready);
                isDue = MillisecondsToNextTimer() == 0;
            }

            LastTick = Now;
            bool hasWork = ready > 0 || isDue || HasWork;
            RunIteration(ready);
            return hasWork;
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>Ends a loop without a thread on the caller's. False when it has ended before.</summary>
    /// <exception cref="InvalidOperationException">It is in a turn.</exception>
    internal bool TryBeginEnd()
    {
        switch (Interlocked.CompareExchange(ref _driving, Ended, Idle))
        {
            case Idle:
                // Whoever turned it does so no more.
                _threadId = Environment.CurrentManagedThreadId;
                return true;

            case InIteration:
                throw new InvalidOperationException(
                    $"The event loop '{_name}' is in a turn; dispose its group after RunOnce has returned, or not at the same time.");

            default:
                return false;
        }
    }

    /// <summary>After <see cref="TryBeginEnd"/>, on the same thread.</summary>
    internal void EndDriven() => End();

    private void Enter(bool isIteration)
    {
        if (_thread is not null)
        {
            throw new InvalidOperationException(
                $"The event loop '{_name}' has a thread of its own, which turns it; only a group made with CallerDriven leaves that to others.");
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
                $"The event loop '{_name}' is in a turn, and a handler or callback of that turn cannot {(isIteration ? "begin the next" : "attach to it")}.");
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
        => new($"The event loop '{_name}' belongs to the thread that turned it first or attached to it, and this is another one; post an action to the loop instead.");
}
