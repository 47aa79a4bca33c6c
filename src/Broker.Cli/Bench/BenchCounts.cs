using System.Diagnostics;
using HdrHistogram;

namespace Broker.Cli.Bench;

/// <summary>The counters of one measurement's connections. One thread adds them before the traffic starts.</summary>
internal sealed class BenchCounts
{
    private readonly List<BenchCounter> _sent = [];
    private readonly List<BenchCounter> _received = [];
    private readonly LongConcurrentHistogram _times = BenchTimes.NewRecorder();
    private long _unanswered;
    private volatile bool _isMeasuring;

    /// <summary>Whether times are recorded.</summary>
    public bool IsMeasuring
    {
        get => _isMeasuring;
        set => _isMeasuring = value;
    }

    /// <summary>The requests without a reply.</summary>
    public long Unanswered => Volatile.Read(ref _unanswered);

    /// <summary>The distribution of the recorded times; null if there are none.</summary>
    public BenchTimes? Times => BenchTimes.Of(_times);

    public BenchCounter AddSender()
    {
        var counter = new BenchCounter();
        _sent.Add(counter);
        return counter;
    }

    public BenchCounter AddReceiver()
    {
        var counter = new BenchCounter();
        _received.Add(counter);
        return counter;
    }

    public void CountUnanswered() => Interlocked.Increment(ref _unanswered);

    /// <summary>Records the time since a time stamp of <see cref="Stopwatch"/>, if the measurement has begun.</summary>
    public void RecordSince(long timestamp)
    {
        if (_isMeasuring)
        {
            BenchTimes.RecordSince(_times, timestamp);
        }
    }

    public BenchMoment Now()
    {
        long time = Stopwatch.GetTimestamp();
        return new BenchMoment(time, _sent.Sum(static c => c.Messages), _sent.Sum(static c => c.Bytes), _received.Sum(static c => c.Messages));
    }
}
