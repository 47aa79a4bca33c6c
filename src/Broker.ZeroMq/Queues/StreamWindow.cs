using Broker.Transport;

namespace Broker.ZeroMq;

/// <summary>
/// Decides when single messages follow each other so closely that a <see cref="SendQueue"/> collects them for the
/// length of a window. The reason: a flush for a single message costs more than the message itself.
/// </summary>
/// <param name="loop">The loop that sends.</param>
/// <param name="counters">The queue's counters.</param>
/// <param name="hasGate">Whether writers may send by themselves.</param>
/// <param name="flush">Sends the collected messages at the end of the window, on the loop.</param>
internal sealed class StreamWindow(EventLoop loop, SendQueueCounters counters, bool hasGate, Action flush)
{
    // After this many flushes within one tick of the clock, the queue collects messages.
    private const int FlushesToStream = 16;

    private static readonly TimeSpan Length = TimeSpan.FromMilliseconds(1);

    // The number of messages that writers sent one by one during the current tick of the system clock.
    // The count is not exact if there are several writers.
    private long _singleTick;
    private int _singles;

    // The number of flushes during the current tick of the loop's clock.
    private long _flushTick;
    private int _flushes;

    private LoopTimer? _timer;
    private bool _isStreaming;
    private long _takenAtStart;

    /// <summary>
    /// Counts a message that a writer is about to send alone. Returns false if the queue should collect the message
    /// instead.
    /// </summary>
    internal bool CountSingle()
    {
        long tick = Environment.TickCount64;
        if (_singleTick != tick)
        {
            _singleTick = tick;
            _singles = 0;
        }

        return ++_singles < FlushesToStream;
    }

    /// <summary>
    /// Whether messages follow each other closely. If so, the reader checks the queue when the window ends or when many
    /// messages are waiting, and not after each message. Called on the loop when the queue is empty.
    /// </summary>
    internal bool UpdateStreaming()
    {
        if (_isStreaming)
        {
            return true;
        }

        if (hasGate ? _singles < FlushesToStream : !IsFlushedOften())
        {
            return false;
        }

        _isStreaming = true;
        Start();
        return true;
    }

    private bool IsFlushedOften()
    {
        if (_flushTick != loop.LastTick)
        {
            _flushTick = loop.LastTick;
            _flushes = 0;
        }

        return ++_flushes >= FlushesToStream;
    }

    // A new window starts at the end of the previous window as long as messages follow each other closely.
    private void Start()
    {
        _takenAtStart = counters.Taken;
        if (_timer is null)
        {
            _timer = loop.StartTimer(Length, End);
        }
        else
        {
            _timer.Restart(Length);
        }
    }

    private void End()
    {
        if (counters.Written - _takenAtStart >= FlushesToStream)
        {
            Start();
        }
        else
        {
            _isStreaming = false;
            _flushes = _singles = 0;
        }

        flush();
    }
}
