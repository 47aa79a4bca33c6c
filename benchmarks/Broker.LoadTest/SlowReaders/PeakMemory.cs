using Broker.LoadTest.Servers;

namespace Broker.LoadTest.SlowReaders;

/// <summary>Reads the resident memory of a server at intervals and keeps the largest value.</summary>
internal sealed class PeakMemory : IDisposable
{
    private readonly CpuMeter _meter;
    private readonly Timer _timer;
    private readonly Lock _lock = new();
    private long _peak;

    public PeakMemory(CpuMeter meter, TimeSpan interval)
    {
        _meter = meter;
        _timer = new Timer(_ => Read(), null, TimeSpan.Zero, interval);
    }

    public long Stop()
    {
        Dispose();
        lock (_lock)
        {
            return _peak;
        }
    }

    public void Dispose()
    {
        using var ended = new ManualResetEvent(initialState: false);
        if (_timer.Dispose(ended))
        {
            ended.WaitOne();
        }
    }

    private void Read()
    {
        // A second read can begin before the first has ended, and the meter is not thread-safe.
        lock (_lock)
        {
            _peak = Math.Max(_peak, _meter.ReadResidentBytes());
        }
    }
}
