using System.Diagnostics;
using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Rows;

/// <summary>
/// A client that sends a PING each millisecond while others make a server work, and measures how long its PONG takes. What could not be
/// sent in its time, since the PONG before it had not come, counts from when it was due: a stall delays all that it held up, and not one.
/// </summary>
internal sealed class Bystander : IDisposable
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(1);
    private static readonly long Interval = Stopwatch.Frequency / 1_000;

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
        // What it waits for shall be the server, and not the hundreds of readers who are ready beside it.
        Precedence.TryTake();
        _go.WaitOne();
        long due = Stopwatch.GetTimestamp();
        while (!_stopped)
        {
            _connection.Fence();
            long now = Stopwatch.GetTimestamp();
            _ticks.Add(now - due);
            due += Interval;
            if (now < due)
            {
                // How late the system wakes this thread is not the server's.
                Thread.Sleep(Pause);
                due = Stopwatch.GetTimestamp();
            }
        }
    }
}
