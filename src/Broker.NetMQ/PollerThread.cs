using System.Diagnostics;
using NetMQ;

namespace Broker.NetMQ;

/// <summary>
/// Runs actions on the thread of a poller. The program may stop or dispose its poller at any time, so an action may
/// never run. Actions must not throw.
/// </summary>
internal sealed class PollerThread(NetMQPoller poller)
{
    private static readonly TimeSpan CheckInterval = TimeSpan.FromMilliseconds(20);

    /// <summary>Whether the poller runs. May be read on any thread.</summary>
    internal bool IsRunning => poller.IsRunning;

    /// <summary>
    /// Runs the action on the poller's thread: at once if the caller is on it, otherwise when the poller runs its next
    /// iteration. Returns false if the poller is disposed.
    /// </summary>
    internal bool TryPost(Action action)
    {
        try
        {
            poller.Run(action);
            return true;
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            return false;
        }
    }

    /// <summary>Adds a timer. Returns false if the poller is disposed.</summary>
    internal bool TryAdd(NetMQTimer timer)
    {
        try
        {
            poller.Add(timer);
            return true;
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            return false;
        }
    }

    /// <summary>
    /// Removes a timer soon. May be called on any thread, also by a handler of another timer: the poller is asked by a
    /// thread of the pool, so that its list of timers does not change while the poller goes through it.
    /// </summary>
    internal void Remove(NetMQTimer timer) => ThreadPool.UnsafeQueueUserWorkItem(RemoveNow, timer, preferLocal: false);

    private void RemoveNow(NetMQTimer timer)
    {
        try
        {
            // A poller that does not run would change its list on this thread, and the program may be disposing it.
            if (poller.IsRunning)
            {
                poller.Remove(timer);
            }
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            // The poller was disposed meanwhile.
        }
    }

    /// <summary>
    /// Runs the action on the poller's thread and waits for it. If the poller does not run, no other thread uses its
    /// sockets, so the action runs on the calling thread.
    /// </summary>
    /// <returns>False if the poller's thread did not run the action within the time.</returns>
    internal bool TryInvoke(Action action, TimeSpan timeout)
    {
        using var done = new ManualResetEventSlim();
        int started = 0;
        void RunOnce()
        {
            if (Interlocked.Exchange(ref started, 1) == 0)
            {
                action();
                done.Set();
            }
        }

        if (!poller.IsRunning || !TryPost(RunOnce))
        {
            RunOnce();
        }

        long begin = Stopwatch.GetTimestamp();
        while (!done.Wait(CheckInterval))
        {
            // A poller that stops runs no further actions.
            if (!poller.IsRunning)
            {
                RunOnce();
            }
            else if (Stopwatch.GetElapsedTime(begin) > timeout && Interlocked.Exchange(ref started, 1) == 0)
            {
                return false;
            }
        }

        return true;
    }
}
