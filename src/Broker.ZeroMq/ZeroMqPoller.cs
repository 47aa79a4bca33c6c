using System.Collections.Concurrent;
using Broker.ZeroMq.Queues;

namespace Broker.ZeroMq;

/// <summary>
/// Serves many sockets on one thread, the one that calls <see cref="Run"/>: handlers of sockets that have messages, timers and posted actions, one
/// at a time.
/// </summary>
/// <remarks>
/// <para>
/// A socket's handler is called again and again as long as there are messages, each time after the other sockets had their turn; it takes
/// one or a few. In the same way the handler of a sender is called as long as there is room, so one that has nothing to send for now removes
/// it. Handlers must not wait for the poller. What it throws ends <see cref="Run"/> and comes out of that.
/// </para>
/// <para>Everything but <see cref="Run"/> may be called on any thread, in handlers too, before and while it runs. A socket is in one poller at a time.</para>
/// </remarks>
public sealed class ZeroMqPoller : IDisposable
{
    private readonly Dictionary<MessageSocket, PolledSocket> _sockets = [];
    private readonly Dictionary<MessageSocket, PolledSocket> _senders = [];
    private readonly ConcurrentQueue<PolledSocket> _ready = new();
    private readonly ConcurrentQueue<Action> _posted = new();
    private readonly PriorityQueue<PollerTimer, long> _timers = new();

    private readonly Sleep _sleep = new();
    private readonly Lock _gate = new();
    private bool _isWoken;
    private bool _isStopping;
    private bool _isRunning;

    /// <summary>Serves a socket: calls <paramref name="onReady"/> on the poller's thread while it has messages.</summary>
    /// <exception cref="InvalidOperationException">The socket is in a poller already.</exception>
    public void Add<TSocket>(TSocket socket, Action<TSocket> onReady)
        where TSocket : MessageSocket, IReceivingSocket
    {
        ArgumentNullException.ThrowIfNull(socket);
        ArgumentNullException.ThrowIfNull(onReady);
        var polled = new PolledSocket(this, socket, () => socket.MayReceive, () => onReady(socket));
        if (!socket.TryWatch(polled.Signal))
        {
            throw new InvalidOperationException("The socket is in a poller already.");
        }

        lock (_gate)
        {
            _sockets.Add(socket, polled);
        }

        polled.Signal();
    }

    /// <summary>
    /// Serves a socket's wish to send: calls <paramref name="onRoom"/> on the poller's thread while there is room for a message. Beside
    /// <see cref="Add"/>, or alone.
    /// </summary>
    /// <exception cref="InvalidOperationException">The socket is with a poller as a sender already.</exception>
    public void AddSender<TSocket>(TSocket socket, Action<TSocket> onRoom)
        where TSocket : MessageSocket, ISendingSocket
    {
        ArgumentNullException.ThrowIfNull(socket);
        ArgumentNullException.ThrowIfNull(onRoom);
        var polled = new PolledSocket(this, socket, () => socket.MaySend, () => onRoom(socket));
        if (!socket.TryWatchRoom(polled.Signal))
        {
            throw new InvalidOperationException("The socket is with a poller as a sender already.");
        }

        lock (_gate)
        {
            _senders.Add(socket, polled);
        }

        polled.Signal();
    }

    /// <summary>Ends what <see cref="AddSender"/> began.</summary>
    /// <returns>False when it is not here.</returns>
    public bool RemoveSender(MessageSocket socket)
    {
        ArgumentNullException.ThrowIfNull(socket);
        if (!TryTake(_senders, socket))
        {
            return false;
        }

        socket.UnwatchRoom();
        return true;
    }

    /// <summary>Serves a socket no more, neither its messages nor its sending; a call of its handler that is under way on the poller's thread ends as it does.</summary>
    /// <returns>False when it is not here.</returns>
    public bool Remove(MessageSocket socket)
    {
        bool was = RemoveSender(socket);
        if (!TryTake(_sockets, socket))
        {
            return was;
        }

        socket.Unwatch();
        return true;
    }

    private bool TryTake(Dictionary<MessageSocket, PolledSocket> from, MessageSocket socket)
    {
        lock (_gate)
        {
            if (!from.Remove(socket, out var polled))
            {
                return false;
            }

            polled.IsRemoved = true;
            return true;
        }
    }

    /// <summary>Calls <paramref name="action"/> every <paramref name="interval"/>, the first time after it.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The interval is under a millisecond.</exception>
    public PollerTimer AddTimer(TimeSpan interval, Action action)
    {
        ArgumentNullException.ThrowIfNull(action);
        ArgumentOutOfRangeException.ThrowIfLessThan(interval, TimeSpan.FromMilliseconds(1));
        var timer = new PollerTimer((long)interval.TotalMilliseconds, action);
        lock (_gate)
        {
            _timers.Enqueue(timer, Environment.TickCount64 + timer.Interval);
        }

        Wake();
        return timer;
    }

    /// <summary>Runs an action on the poller's thread, after what was posted before.</summary>
    public void Post(Action action)
    {
        ArgumentNullException.ThrowIfNull(action);
        _posted.Enqueue(action);
        Wake();
    }

    /// <summary>Serves until <see cref="Stop"/> or the cancellation, then returns; it may be called again.</summary>
    /// <exception cref="InvalidOperationException">It runs already.</exception>
    public void Run(CancellationToken cancellation = default)
    {
        lock (_gate)
        {
            if (_isRunning)
            {
                throw new InvalidOperationException("The poller runs already.");
            }

            _isRunning = true;
        }

        try
        {
            using (cancellation.UnsafeRegister(static poller => ((ZeroMqPoller)poller!).Stop(), this))
            {
                while (!TryStop())
                {
                    RunPosted();
                    RunTimers();
                    ServeReady();
                    Wait();
                }
            }
        }
        finally
        {
            lock (_gate)
            {
                _isRunning = false;
            }
        }
    }

    /// <summary>Lets <see cref="Run"/> return, after the handler that is under way.</summary>
    public void Stop()
    {
        lock (_gate)
        {
            _isStopping = true;
        }

        Wake();
    }

    /// <summary>Stops, and lets its sockets go. They stay open.</summary>
    public void Dispose()
    {
        Stop();
        MessageSocket[] left;
        lock (_gate)
        {
            left = [.. _sockets.Keys, .. _senders.Keys];
        }

        Array.ForEach(left, socket => Remove(socket));
    }

    internal void Enqueue(PolledSocket socket)
    {
        _ready.Enqueue(socket);
        Wake();
    }

    private void Wake()
    {
        bool sleeps;
        lock (_gate)
        {
            _isWoken = true;
            sleeps = _sleep.End();
        }

        if (sleeps)
        {
            _sleep.Wake();
        }
    }

    private bool TryStop()
    {
        lock (_gate)
        {
            bool stops = _isStopping;
            _isStopping = false;
            return stops;
        }
    }

    private void RunPosted()
    {
        for (int left = _posted.Count; left > 0 && _posted.TryDequeue(out var action); left--)
        {
            action();
        }
    }

    // Those that were ready at the start of the round: who becomes ready meanwhile comes after the others.
    private void ServeReady()
    {
        for (int left = _ready.Count; left > 0 && _ready.TryDequeue(out var socket); left--)
        {
            socket.Serve();
        }
    }

    private void RunTimers()
    {
        while (NextDue() is { } timer)
        {
            timer.Fire();
        }
    }

    private PollerTimer? NextDue()
    {
        lock (_gate)
        {
            while (_timers.TryPeek(out var timer, out long due))
            {
                long now = Environment.TickCount64;
                if (!timer.IsCancelled && due > now)
                {
                    return null;
                }

                _timers.Dequeue();
                if (!timer.IsCancelled)
                {
                    // Turns that were missed are not made up for.
                    _timers.Enqueue(timer, Math.Max(due + timer.Interval, now + 1));
                    return timer;
                }
            }
        }

        return null;
    }

    private void Wait()
    {
        if (MaySleep(out int most))
        {
            _sleep.Wait(most);
            lock (_gate)
            {
                _isWoken = false;
            }
        }
    }

    // From the return on whoever wakes it finds the sleep.
    private bool MaySleep(out int most)
    {
        lock (_gate)
        {
            most = 0;
            if (!_isWoken && _ready.IsEmpty && _posted.IsEmpty)
            {
                most = _timers.TryPeek(out _, out long due)
                    ? (int)Math.Clamp(due - Environment.TickCount64, 0, int.MaxValue)
                    : Timeout.Infinite;
                _sleep.Arm();
            }

            _isWoken = false;
            return most != 0;
        }
    }
}
