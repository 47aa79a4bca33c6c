using System.Collections.Concurrent;

namespace Broker.ZeroMq;

/// <summary>
/// Serves many sockets on the thread that calls <see cref="Run"/>. It calls the handlers of sockets that have messages,
/// the actions of timers, and posted actions, one at a time.
/// </summary>
/// <remarks>
/// <para>
/// The poller calls a socket's handler as long as there are messages, and serves the other ready sockets between two
/// calls. So a handler should receive only one or a few messages per call. In the same way it calls the handler of a
/// sender as long as there is room; remove a sender that has nothing to send. Handlers must not wait for the poller. An
/// exception of a handler ends <see cref="Run"/>, which throws it.
/// </para>
/// <para>
/// All members except <see cref="Run"/> may be called on any thread and in handlers, before and while the poller runs.
/// A socket can be in one poller at a time.
/// </para>
/// </remarks>
/// <example><code>
/// using var poller = new ZeroMqPoller();
/// poller.Add(pull, socket => Console.WriteLine(socket.ReceiveString()));
/// poller.AddTimer(TimeSpan.FromSeconds(10), () => Console.WriteLine("ten seconds more"));
/// poller.Run(cancellationToken);
/// </code></example>
public sealed class ZeroMqPoller : IDisposable
{
    private readonly Dictionary<MessageSocket, PolledSocket> _sockets = [];
    private readonly Dictionary<MessageSocket, PolledSocket> _senders = [];
    private readonly ConcurrentQueue<PolledSocket> _ready = new();
    private readonly ConcurrentQueue<Action> _posted = new();
    private readonly PriorityQueue<PollerTimer, long> _timers = new();

    private readonly ThreadParker _parker = new();
    private readonly Lock _gate = new();
    private bool _isWoken;
    private bool _isStopping;
    private bool _isRunning;

    /// <summary>
    /// Adds a socket. The poller calls <paramref name="onReady"/> on its thread while the socket has messages.
    /// </summary>
    /// <exception cref="InvalidOperationException">The socket is already in a poller.</exception>
    public void Add<TSocket>(TSocket socket, Action<TSocket> onReady)
        where TSocket : MessageSocket, IReceivingSocket
    {
        ArgumentNullException.ThrowIfNull(socket);
        ArgumentNullException.ThrowIfNull(onReady);
        var polled = new PolledSocket(this, socket, () => socket.Receiver.Queue.HasMessages, () => onReady(socket));
        if (!socket.Receiver.Queue.TryWatch(polled.Signal))
        {
            throw new InvalidOperationException("The socket is already in a poller.");
        }

        lock (_gate)
        {
            _sockets.Add(socket, polled);
        }

        polled.Signal();
    }

    /// <summary>
    /// Adds a socket that sends. The poller calls <paramref name="onRoom"/> on its thread while the socket has room for
    /// a message. The socket may also be added with <see cref="Add"/>.
    /// </summary>
    /// <exception cref="InvalidOperationException">The socket is already in a poller as a sender.</exception>
    public void AddSender<TSocket>(TSocket socket, Action<TSocket> onRoom)
        where TSocket : MessageSocket, ISendingSocket
    {
        ArgumentNullException.ThrowIfNull(socket);
        ArgumentNullException.ThrowIfNull(onRoom);
        var polled = new PolledSocket(this, socket, () => socket.Sender.Queue.HasRoom, () => onRoom(socket));
        if (!socket.Sender.TryWatch(polled.Signal))
        {
            throw new InvalidOperationException("The socket is already in a poller as a sender.");
        }

        lock (_gate)
        {
            _senders.Add(socket, polled);
        }

        polled.Signal();
    }

    /// <summary>Removes a socket that <see cref="AddSender"/> added.</summary>
    /// <returns>False if the socket is not a sender of this poller.</returns>
    public bool RemoveSender(MessageSocket socket)
    {
        ArgumentNullException.ThrowIfNull(socket);
        if (!TryTake(_senders, socket))
        {
            return false;
        }

        socket.Sender.Unwatch();
        return true;
    }

    /// <summary>
    /// Removes a socket, both for receiving and for sending. A handler call that is in progress on the poller's thread
    /// is completed.
    /// </summary>
    /// <returns>False if the socket is not in this poller.</returns>
    public bool Remove(MessageSocket socket)
    {
        bool was = RemoveSender(socket);
        if (!TryTake(_sockets, socket))
        {
            return was;
        }

        socket.Receiver.Queue.Unwatch();
        return true;
    }

    private bool TryTake(Dictionary<MessageSocket, PolledSocket> from, MessageSocket socket)
    {
        lock (_gate)
        {
            if (!from.Remove(socket, out PolledSocket? polled))
            {
                return false;
            }

            polled.IsRemoved = true;
            return true;
        }
    }

    /// <summary>
    /// Calls <paramref name="action"/> periodically. The first call comes one <paramref name="interval"/> after the
    /// timer is added.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The interval is shorter than a millisecond.</exception>
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

    /// <summary>Runs an action on the poller's thread, after the actions that were posted before.</summary>
    public void Post(Action action)
    {
        ArgumentNullException.ThrowIfNull(action);
        _posted.Enqueue(action);
        Wake();
    }

    /// <summary>
    /// Serves the sockets until <see cref="Stop"/> is called or the token is cancelled. May be called again after it
    /// has returned.
    /// </summary>
    /// <exception cref="InvalidOperationException">The poller is already running.</exception>
    public void Run(CancellationToken cancellation = default)
    {
        lock (_gate)
        {
            if (_isRunning)
            {
                throw new InvalidOperationException("The poller is already running.");
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

    /// <summary>Makes <see cref="Run"/> return after the current handler call.</summary>
    public void Stop()
    {
        lock (_gate)
        {
            _isStopping = true;
        }

        Wake();
    }

    /// <summary>Stops the poller and removes its sockets, which stay open.</summary>
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
            sleeps = _parker.End();
        }

        if (sleeps)
        {
            _parker.Wake();
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
        for (int left = _posted.Count; left > 0 && _posted.TryDequeue(out Action? action); left--)
        {
            action();
        }
    }

    // Serves only the sockets that were ready when the round began. A socket that becomes ready during the round is
    // served in the next round.
    private void ServeReady()
    {
        for (int left = _ready.Count; left > 0 && _ready.TryDequeue(out PolledSocket? socket); left--)
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
            while (_timers.TryPeek(out PollerTimer? timer, out long due))
            {
                long now = Environment.TickCount64;
                if (!timer.IsCancelled && due > now)
                {
                    return null;
                }

                _timers.Dequeue();
                if (!timer.IsCancelled)
                {
                    // Missed ticks are skipped.
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
            _parker.Wait(most);
            lock (_gate)
            {
                _isWoken = false;
            }
        }
    }

    // After this method has returned true, a thread that wakes the poller sees that the poller sleeps.
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
                _parker.Arm();
            }

            _isWoken = false;
            return most != 0;
        }
    }
}
