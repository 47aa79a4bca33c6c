using System.Diagnostics;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Churn;

/// <summary>
/// One publisher and one reader at full rate. Each block of messages ends with a PING, and the time to its PONG is the
/// publish latency. Only a few blocks are in flight at a time, so that the time does not depend on the driver's own
/// queue.
/// </summary>
internal sealed class FullRate : IDisposable
{
    private const string Subject = "load";
    private const int PayloadSize = 16;
    private const int FramesPerBlock = 500;
    private const int BlocksUnderWay = 2;
    private const int MostMessagesUnderWay = 100_000;

    private readonly Session _session;
    private readonly RawConnection _publisher;
    private readonly RawConnection _reader;
    private readonly Tally _tally = new(long.MaxValue);
    private readonly Drain _drain;
    private readonly FrameBlock _block = new(Frames.Publish(Subject, Payloads.Pattern(PayloadSize)));
    private readonly int _frameLength;
    private readonly LatencyWindow _latency;
    private readonly Worker _publishing;
    private readonly Worker _draining;
    private long _confirmed;
    private volatile bool _stopped;
    private volatile bool _over;

    public FullRate(Target target, LatencyWindow latency)
    {
        _latency = latency;
        _session = target.OpenSession();
        try
        {
            _publisher = _session.Dial();
            _reader = _session.Dial();
            _reader.Send(Frames.Subscribe(Subject, null, 1));
            _reader.Fence();
        }
        catch
        {
            _session.Dispose();
            throw;
        }

        byte[] frame = Frames.Message(Subject, 1, Payloads.Pattern(PayloadSize));
        _frameLength = frame.Length;
        _drain = new Drain(_reader, frame, _tally);
        _draining = _session.Start("reader", Drain);
        _publishing = _session.Start("publisher", Publish, () => _over = true);
    }

    /// <summary>The number of messages that the server has received according to its PONGs.</summary>
    public long Confirmed => Interlocked.Read(ref _confirmed);

    public long Received => _tally.Bytes / _frameLength;

    /// <summary>Whether it has ended early because a connection was closed.</summary>
    public bool IsOver => _over;

    /// <summary>
    /// Stops publishing and returns when the reader has received everything. The counts are exact then. Throws if a
    /// connection failed.
    /// </summary>
    public void Stop()
    {
        _stopped = true;
        _publishing.Join();
        _reader.Send(Wire.Ping);
        _draining.Join();
        if (_drain.Error is not null)
        {
            throw new DriverException($"The reader received '{_drain.Error}'.");
        }
    }

    public void Dispose()
    {
        _stopped = true;
        _session.Dispose();
        _tally.Dispose();
    }

    private void Drain()
    {
        _drain.Run();
        _over = true;
    }

    private void Publish()
    {
        var sentAt = new Queue<long>();
        long sent = 0;
        while (!_stopped || sentAt.Count > 0)
        {
            while (!_stopped && sentAt.Count < BlocksUnderWay && sent - Received < MostMessagesUnderWay)
            {
                sentAt.Enqueue(Stopwatch.GetTimestamp());
                _block.Send(_publisher, FramesPerBlock);
                _publisher.Send(Wire.Ping);
                sent += FramesPerBlock;
            }

            if (sentAt.Count > 0)
            {
                _publisher.AwaitPong();
                _latency.Add(Stopwatch.GetTimestamp() - sentAt.Dequeue());
                Interlocked.Add(ref _confirmed, FramesPerBlock);
            }
            else if (_over)
            {
                return;
            }
            else
            {
                Thread.Yield();
            }
        }
    }
}
