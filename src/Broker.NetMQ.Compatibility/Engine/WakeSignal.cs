using System.Diagnostics;

namespace NetMQ;

/// <summary>
/// Blocks one thread until another thread has something for it. Reset it, look for something to do, and wait only if
/// there is nothing: then nothing that happens in between is missed.
/// </summary>
internal sealed class WakeSignal : IDisposable
{
    // A thread that spins would take the processor from the threads that it waits for.
    private readonly ManualResetEventSlim _event = new(initialState: false, spinCount: 0);

    internal void Reset() => _event.Reset();

    /// <summary>Ends the wait. May be called on any thread, also after the disposal.</summary>
    internal void Wake() => _event.Set();

    /// <summary>Waits until <see cref="Wake"/> is called. Returns false if the timeout is over.</summary>
    /// <param name="timeout">The longest wait since <paramref name="start"/>; a negative value has no limit.</param>
    /// <param name="start">The timestamp of <see cref="Stopwatch"/> at which the timeout began.</param>
    internal bool Wait(TimeSpan timeout, long start)
    {
        if (timeout < TimeSpan.Zero)
        {
            _event.Wait();
            return true;
        }

        TimeSpan left = timeout - Stopwatch.GetElapsedTime(start);
        return left > TimeSpan.Zero && _event.Wait(RoundUp(left));
    }

    public void Dispose() => _event.Dispose();

    // A wait in whole milliseconds must not end before its time and begin again at once.
    private static int RoundUp(TimeSpan left) => (int)Math.Min(Math.Ceiling(left.TotalMilliseconds), int.MaxValue);
}
