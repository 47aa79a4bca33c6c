using System.Diagnostics;
using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Rows;

/// <summary>
/// A client that sends a PING each millisecond while other clients load a server, and measures the time to its PONG. If
/// a PING could not be sent in time because the previous PONG was missing, its time counts from when it was due. So a
/// stall counts for all PINGs that it delayed.
/// </summary>
internal sealed class Bystander : IDisposable
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(1);
    private static readonly long Interval = Stopwatch.Frequency / 1_000;

    private readonly RawConnection _connection;
    private readonly Worker _worker;
    private readonly ManualResetEvent _go = new(initialState: false);
    private readonly List<(long Due, long Sent, long Answered)> _pings = [];
    private volatile bool _stopped;

    public Bystander(Session session)
    {
        _connection = session.Dial();
        _worker = session.Start("bystander", Run);
    }

    /// <summary>Starts the measurement.</summary>
    public void Start() => _go.Set();

    /// <summary>Stops the measurement; returns null if no round trip was measured.</summary>
    public Latency? Stop()
    {
        _stopped = true;
        _go.Set();
        _worker.Join();
        return Delays(TimeSpan.Zero);
    }

    /// <summary>
    /// Returns the times since each PING was due; null if there are none. To be called after <see cref="Stop"/>.
    /// </summary>
    /// <param name="from">Leaves out the PINGs of this first part of the measurement.</param>
    public Latency? Delays(TimeSpan from) => Of(from, static ping => ping.Answered - ping.Due);

    /// <summary>
    /// Returns the times since each PING was sent; null if there are none. To be called after <see cref="Stop"/>.
    /// </summary>
    /// <param name="from">Leaves out the PINGs of this first part of the measurement.</param>
    public Latency? RoundTrips(TimeSpan from) => Of(from, static ping => ping.Answered - ping.Sent);

    public void Dispose()
    {
        _stopped = true;
        _go.Set();
        _worker.JoinQuietly();
        _go.Dispose();
    }

    private void Run()
    {
        // This thread must wait for the server and not for hundreds of ready reader threads.
        Precedence.TryTake();
        _go.WaitOne();
        long due = Stopwatch.GetTimestamp();
        while (!_stopped)
        {
            long sent = Stopwatch.GetTimestamp();
            _connection.Fence();
            long now = Stopwatch.GetTimestamp();
            _pings.Add((due, sent, now));
            due += Interval;
            if (now < due)
            {
                // A late wake-up of this thread must not count as time of the server.
                Thread.Sleep(Pause);
                due = Stopwatch.GetTimestamp();
            }
        }
    }

    private Latency? Of(TimeSpan from, Func<(long Due, long Sent, long Answered), long> ticks)
    {
        long[] values = [.. _pings.Where(ping => Stopwatch.GetElapsedTime(_pings[0].Due, ping.Due) >= from).Select(ticks)];
        return values.Length == 0 ? null : Latency.FromTicks(values);
    }
}
