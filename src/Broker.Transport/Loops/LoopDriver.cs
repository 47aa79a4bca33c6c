namespace Broker.Transport;

/// <summary>
/// Binds a caller-driven loop to the first thread of the application that uses the loop. It also makes sure that the
/// loop does not end during an iteration. Any thread.
/// </summary>
internal sealed class LoopDriver(string loopName, EventLoopGroup group)
{
    private const int Idle = 0;
    private const int InIteration = 1;
    private const int Ended = 2;

    private int _state;
    private Thread? _thread;

    /// <summary>The calling thread begins to use the loop. It must call <see cref="Leave"/> afterwards.</summary>
    /// <param name="isIteration">Whether the thread runs an iteration. Otherwise it only attaches to the loop.</param>
    /// <exception cref="InvalidOperationException">
    /// The loop belongs to another thread, or is in an iteration.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The loop has ended.</exception>
    internal void Enter(bool isIteration)
    {
        Thread caller = Thread.CurrentThread;
        int was = Interlocked.CompareExchange(ref _state, InIteration, Idle);
        ObjectDisposedException.ThrowIf(was == Ended, group);
        if (was == InIteration)
        {
            if (_thread != caller)
            {
                throw WrongThread();
            }

            throw new InvalidOperationException(
                $"The event loop '{loopName}' is in an iteration; a handler or callback of it cannot {(isIteration ? "begin the next one" : "attach to the loop")}.");
        }

        if (_thread is null)
        {
            _thread = caller;
        }
        else if (_thread != caller)
        {
            Leave();
            throw WrongThread();
        }
    }

    internal void Leave() => Volatile.Write(ref _state, Idle);

    /// <summary>
    /// Prevents all further iterations, so that the calling thread can end the loop. Returns false if the loop has
    /// already ended.
    /// </summary>
    /// <exception cref="InvalidOperationException">The loop is in an iteration.</exception>
    internal bool TryBeginEnd() => Interlocked.CompareExchange(ref _state, Ended, Idle) switch
    {
        Idle => true,
        InIteration => throw new InvalidOperationException(
            $"The event loop '{loopName}' is in an iteration; dispose its group after RunOnce has returned."),
        _ => false,
    };

    private InvalidOperationException WrongThread()
        => new($"The event loop '{loopName}' belongs to the thread that called RunOnce or Attach first; on other threads, post an action to the loop.");
}
