using NetMQ;

namespace Broker.NetMQ;

/// <summary>
/// Decides when messages follow each other so closely that a pump lets them collect for the length of a window. The
/// reason: a NetMQ socket whose messages are all taken wakes its poller for the next one, which costs more than the
/// message itself. Used on the poller's thread.
/// </summary>
/// <param name="thread">The poller's thread.</param>
/// <param name="end">Ends the window. Called on the poller's thread; must not throw.</param>
internal sealed class StreamWindow(PollerThread thread, Action end) : IDisposable
{
    // After this many turns within one tick of the clock that took all messages, the pump collects messages.
    private const int TurnsToStream = 16;

    // After a window with fewer messages, the pump takes each message when it comes.
    private const int MessagesToStream = 16;

    private static readonly TimeSpan Length = TimeSpan.FromMilliseconds(1);

    private NetMQTimer? _timer;
    private long _tick;
    private int _turns;
    private bool _isStreaming;
    private bool _isDisposed;

    /// <summary>
    /// Called when a turn has taken all messages. Returns true if a window begins: the pump then takes messages again
    /// at its end.
    /// </summary>
    /// <param name="messages">The number of messages since the last call.</param>
    internal bool TryBegin(int messages)
    {
        if (_isStreaming)
        {
            _isStreaming = messages >= MessagesToStream;
            _turns = 0;
        }
        else
        {
            long tick = Environment.TickCount64;
            if (_tick != tick)
            {
                _tick = tick;
                _turns = 0;
            }

            _isStreaming = ++_turns >= TurnsToStream;
        }

        return _isStreaming && TryStart();
    }

    /// <summary>Removes the timer from the poller. May be called on any thread, and twice.</summary>
    public void Dispose()
    {
        Volatile.Write(ref _isDisposed, true);
        if (Interlocked.Exchange(ref _timer, null) is { } timer)
        {
            timer.Enable = false;
            thread.Remove(timer);
        }
    }

    private bool TryStart()
    {
        if (Volatile.Read(ref _isDisposed))
        {
            return false;
        }

        NetMQTimer? timer = _timer;
        if (timer is null)
        {
            timer = new NetMQTimer(Length) { Enable = false };
            timer.Elapsed += OnElapsed;
            if (!thread.TryAdd(timer))
            {
                return false;
            }

            _timer = timer;
        }

        timer.EnableAndReset();
        return true;
    }

    private void OnElapsed(object? sender, NetMQTimerEventArgs e)
    {
        e.Timer.Enable = false;
        end();
    }
}
