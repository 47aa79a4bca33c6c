using System.Diagnostics;
using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Rows;

/// <summary>A client that sends a PING each millisecond while others make a server work, and measures how long its PONG takes.</summary>
internal sealed class Bystander : IDisposable
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(1);

    private readonly RawConnection _connection;
    private readonly Worker _worker;
    private readonly ManualResetEvent _go = new(initialState: false);
    private readonly List<long> _ticks = [];
    private volatile bool _stopped;

    public Bystander(Session session)
    {
        _connection = session.Dial();
        _worker = session.Start("bystander", Run);
    }

    /// <summary>The clock runs.</summary>
    public void Start() => _go.Set();

    /// <summary>The clock has stopped; null when not one round trip has been measured.</summary>
    public Latency? Stop()
    {
        _stopped = true;
        _go.Set();
        _worker.Join();
        return _ticks.Count == 0 ? null : Latency.FromTicks([.. _ticks]);
    }

    public void Dispose()
    {
        _stopped = true;
        _go.Set();
        _worker.JoinQuietly();
        _go.Dispose();
    }

    private void Run()
    {
        _go.WaitOne();
        while (!_stopped)
        {
            long from = Stopwatch.GetTimestamp();
            _connection.Fence();
            _ticks.Add(Stopwatch.GetTimestamp() - from);
            Thread.Sleep(Pause);
        }
    }
}
