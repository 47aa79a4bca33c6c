using Broker.Transport;

namespace Broker.Streams;

/// <summary>The timer of a consumer: it is set to the first of all times that the parts of the consumer wait for.</summary>
/// <param name="host">The loop and its clock.</param>
/// <param name="tick">Called when the time has come.</param>
internal sealed class ConsumerTimer(ConsumerHost host, Action tick)
{
    private LoopTimer? _timer;
    private long _due = long.MaxValue;
    private bool _isEnded;

    /// <summary>Calls back at a time, in ticks of UTC, or before it.</summary>
    internal void Schedule(long due)
    {
        if (due >= _due || _isEnded)
        {
            return;
        }

        _due = due;
        var wait = TimeSpan.FromTicks(Math.Clamp(due - host.Now, TimeSpan.TicksPerMillisecond, TimeSpan.TicksPerHour));
        if (_timer is { IsPending: false })
        {
            _timer.Restart(wait);
            return;
        }

        _timer?.Cancel();
        _timer = host.Loop.StartTimer(wait, tick);
    }

    /// <summary>Forgets the time that has come. The callback sets the next one.</summary>
    internal void Restart() => _due = long.MaxValue;

    internal void End()
    {
        _isEnded = true;
        _timer?.Cancel();
    }
}
