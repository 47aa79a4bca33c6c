using System.Collections.Concurrent;

namespace Broker.Transport;

// What a turn has to do beside sockets: in-process peers with bytes, stages to hand over, actions from other threads.
public sealed partial class EventLoop
{
    // In-process links may answer each other for ever; after this many rounds sockets and timers get their turn.
    private const int MostRounds = 16;

    private readonly ConcurrentQueue<Action> _posted = new();
    private readonly Lock _endGate = new();
    private volatile bool _takesNoPosts;

    private readonly FlushScheduler _flushScheduler = new();
    private readonly Queue<Connection> _readable = new();
    private readonly Queue<Connection> _yielded = new();

    /// <summary>
    /// For how many connections this loop has staged something that is not handed over yet. A turn hands over to
    /// <see cref="FlushBatchSize"/> of them or so; a handler whose work makes this grow beyond that should let others go first
    /// (<see cref="Connection.YieldReceiving"/>). On this loop's thread.
    /// </summary>
    public int FlushBacklog => _flushScheduler.Count;

    /// <summary>To about how many connections a turn hands over, before it looks at what is ready again.</summary>
    public static int FlushBatchSize => FlushScheduler.BatchSize;

    /// <summary>
    /// Whether more than <see cref="FlushBatchSize"/> connections waited for what is staged for them when the last hand-over began. A turn
    /// then hands over to a few only for each handler that yields, so that turns are short; such a handler should do as much
    /// less of its work at a time, or more is staged than is handed over. On this loop's thread.
    /// </summary>
    public bool IsBehind { get; private set; }

    /// <summary>How many times a connection had something written for it that had nothing before. On the loop.</summary>
    internal long ScheduledFlushes => _flushScheduler.Added;

    /// <summary>The connection whose handler was called last in this turn. On the loop.</summary>
    internal Connection? CurrentConnection { get; set; }

    private bool HasWork => !_posted.IsEmpty || _readable.Count > 0 || _flushScheduler.Count > 0 || _yielded.Count > 0;

    /// <summary>
    /// Runs <paramref name="action"/> on this loop's thread, after what is already posted. Any thread. Once the group
    /// has been disposed nothing is run any more; <see cref="TryPost"/> says so.
    /// </summary>
    public void Post(Action action) => TryPost(action);

    /// <summary>As <see cref="Post"/>. False when the loop has ended and the action will not run; true when it will.</summary>
    public bool TryPost(Action action)
    {
        ArgumentNullException.ThrowIfNull(action);
        if (_takesNoPosts)
        {
            return false;
        }

        _posted.Enqueue(action);
        if (IsCurrent)
        {
            return true;
        }

        // A fence too: a loop that ends now sees the action, or is seen here to end.
        _poller.Wake();
        return !_takesNoPosts || WasTaken(action);
    }

    /// <summary>
    /// Hands over and sends some of what this loop has staged so far, as the turn's end would: all of it where that is for no more than
    /// about <see cref="FlushBatchSize"/> connections. On this loop's thread; no handler is called.
    /// </summary>
    /// <exception cref="InvalidOperationException">Not on this loop's thread.</exception>
    public void FlushWriteBuffers()
    {
        RequireCurrent();
        int budget = FlushScheduler.BatchSize;
        _flushScheduler.Flush(this, ref budget);
        CountWork(FlushScheduler.BatchSize - budget);
    }

    /// <summary>Runs <paramref name="action"/> at once if the caller is on this loop, else posts it.</summary>
    public void Run(Action action)
    {
        ArgumentNullException.ThrowIfNull(action);
        if (IsCurrent)
        {
            action();
        }
        else
        {
            Post(action);
        }
    }

    internal void PostClose(Connection connection, CloseReason reason)
        => Post(() => connection.CloseOnLoop(reason, null, TimeSpan.Zero));

    /// <summary>The stage has bytes to hand over at the end of the turn. On this loop.</summary>
    internal void ScheduleFlush(LoopWriteBuffer buffer)
    {
        // Once a turn and connection, and before anything is changed: from another thread the loop's memory would be corrupted.
        RequireCurrent();
        if (buffer.IsScheduled)
        {
            return;
        }

        buffer.IsScheduled = true;
        _flushScheduler.Add(buffer, isReply: buffer.Connection == CurrentConnection);
    }

    /// <summary>An in-process connection has received. On this loop.</summary>
    internal void MarkReadable(Connection connection) => _readable.Enqueue(connection);

    /// <summary>The connection has something to deliver in the next turn, after all others. On this loop.</summary>
    internal void ScheduleDelivery(Connection connection) => _yielded.Enqueue(connection);

    // Those that were on the list when the turn began: whoever joined it since had its part of this turn. What they write is handed over in
    // the next one, behind what was written before.
    private void DeliverYielded(int count)
    {
        for (; count > 0; count--)
        {
            Connection connection = _yielded.Dequeue();
            CountWork(WorkOfYield);
            try
            {
                connection.DeliverAfterYield();
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                connection.Fail(e);
            }
        }

        _flushScheduler.DelayWritten();
        CurrentConnection = null;
    }

    /// <summary>Sends what the turn produced, or a slice of it; in-process peers on this loop answer within the same turn.</summary>
    /// <param name="yielded">How many connections wait for this, to go on.</param>
    private void Flush(int yielded)
    {
        IsBehind = _flushScheduler.Count > FlushScheduler.BatchSize;
        int slice = IsBehind && yielded != 0 ? (int)Math.Min(FlushScheduler.BatchSize, (long)yielded * FlushScheduler.BatchSizePerYield) : FlushScheduler.BatchSize;
        int budget = slice;
        for (int round = 0; round < MostRounds; round++)
        {
            // Handing over can run no handler, but it can fill other stages: a link's two ends are written in turn.
            _flushScheduler.Flush(this, ref budget);
            if (_readable.Count == 0)
            {
                break;
            }

            for (int left = _readable.Count; left > 0; left--)
            {
                Read(_readable.Dequeue());
            }
        }

        CountWork(slice - budget);
        CurrentConnection = null;
    }

    private void RunPosted()
    {
        // No more than there are: an action that posts itself again must not keep the loop here.
        for (int left = _posted.Count; left > 0 && _posted.TryDequeue(out Action? action); left--)
        {
            Guarded(action);
        }
    }

    // What an action posts now is refused, so that the loop comes to its end.
    private void RunLastPosted()
    {
        var last = new List<Action>();
        lock (_endGate)
        {
            _takesNoPosts = true;
            Interlocked.MemoryBarrier();
            while (_posted.TryDequeue(out Action? action))
            {
                last.Add(action);
            }
        }

        last.ForEach(Guarded);
    }

    // The action came while the loop ended: what is still queued then will not run.
    private bool WasTaken(Action action)
    {
        lock (_endGate)
        {
            return !_posted.Contains(action);
        }
    }

    private static void Read(Connection connection)
    {
        try
        {
            connection.OnReadable(1);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            connection.Fail(e);
        }
    }

    private void Guarded(Action action)
    {
        try
        {
            action();
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            Group.ReportFault(e);
        }
    }
}
