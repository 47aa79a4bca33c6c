namespace Broker.ZeroMq;

/// <summary>Wakes the writers of a <see cref="SendQueue"/> when there may be room again.</summary>
internal sealed class RoomSignal(SendQueueCounters counters)
{
    /// <summary>The calls that wait for room.</summary>
    internal WaitList Waiters { get; } = new();

    /// <summary>Called when there may be room again after the queue was full, usually on the loop.</summary>
    internal Action? OnRoom { get; set; }

    /// <summary>
    /// Wakes a writer if the queue is at most half full. The reader calls this method after it has taken messages.
    /// </summary>
    internal void WakeIfHalfEmpty()
    {
        Interlocked.MemoryBarrier();
        if ((!Waiters.IsEmpty || OnRoom is not null)
            && counters.Waiting <= counters.MostMessages / 2
            && counters.HasRoom)
        {
            Wake();
        }
    }

    /// <summary>Wakes one writer and calls <see cref="OnRoom"/>.</summary>
    internal void Wake()
    {
        Interlocked.MemoryBarrier();
        if (!Waiters.IsEmpty)
        {
            Waiters.WakeOne();
        }

        OnRoom?.Invoke();
    }

    /// <summary>Ends all waits and calls <see cref="OnRoom"/>, because the queue is closed.</summary>
    internal void WakeAll()
    {
        Waiters.WakeAll();
        OnRoom?.Invoke();
    }
}
