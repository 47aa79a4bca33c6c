namespace Broker.Transport;

// The work of an iteration beside sockets: in-process peers with bytes, write buffers to flush, and actions that other
// threads posted.
public sealed partial class EventLoop
{
    // The work of one delivery after a yield, in units of a read or a send.
    private const int WorkOfYield = 16;

    // How many costly steps one iteration runs, and the work of one, in units of a read or a send.
    private const int MostCostlySteps = 4;
    private const int WorkOfCostlyStep = 64;

    // In-process links may reply to each other endlessly; after this many rounds sockets and timers come first.
    private const int MostRounds = 16;

    private readonly PostQueue _posted;

    private readonly FlushScheduler _flushScheduler = new();
    private readonly Queue<Connection> _readable = new();
    private readonly Queue<Connection> _yielded = new();

    // The connections that wait until they may run a costly step, in the order in which they asked.
    private readonly Queue<Connection> _waitingForStep = new();
    private int _costlySteps;
    private Connection? _nextForStep;

    /// <summary>
    /// The number of connections for which this loop has written bytes that are not flushed yet. An iteration flushes
    /// to about <see cref="FlushBatchSize"/> of them. A handler that makes this number exceed it should let other
    /// connections run first (<see cref="Connection.YieldReceiving"/>). On this loop's thread.
    /// </summary>
    public int FlushBacklog => _flushScheduler.Count;

    /// <summary>
    /// To about how many connections one iteration flushes before it checks again which connections are ready.
    /// </summary>
    public static int FlushBatchSize => FlushScheduler.BatchSize;

    /// <summary>
    /// Whether more than <see cref="FlushBatchSize"/> connections waited for a flush when the last flush began. The
    /// iteration then flushes only to a few connections for each handler that yields, so that iterations stay short.
    /// Such a handler should do correspondingly less work at a time; otherwise more is written than flushed. On this
    /// loop's thread.
    /// </summary>
    public bool IsBehind { get; private set; }

    /// <summary>
    /// The number of writes of this loop to connections above their mark (<see cref="Connection.HighWaterBytes"/>). A
    /// handler that compares it before and after its work knows whether it has written too much. On this loop's thread.
    /// </summary>
    public long WritesAboveHighWater { get; private set; }

    /// <summary>How often a connection that had nothing to flush was written to. On the loop.</summary>
    internal long ScheduledFlushes => _flushScheduler.Added;

    /// <summary>The connection whose handler was called last in this iteration. On the loop.</summary>
    internal Connection? CurrentConnection { get; set; }

    private bool HasWork => !_posted.IsEmpty || _readable.Count > 0 || _flushScheduler.Count > 0 || _yielded.Count > 0
        || _waitingForStep.Count > 0;

    /// <summary>
    /// Runs <paramref name="action"/> on this loop's thread, after the actions that are already posted. Any thread.
    /// After the group has been disposed no action runs any more; <see cref="TryPost"/> reports that.
    /// </summary>
    public void Post(Action action) => TryPost(action);

    /// <summary>
    /// Posts an action as <see cref="Post"/> does. Returns false if the loop has ended and the action will not run;
    /// true if it will run.
    /// </summary>
    public bool TryPost(Action action)
    {
        ArgumentNullException.ThrowIfNull(action);
        return _posted.TryAdd(action, IsCurrent);
    }

    /// <summary>
    /// Flushes and sends bytes that this loop has written so far, as the end of an iteration does: all of them if they
    /// are for at most about <see cref="FlushBatchSize"/> connections, otherwise a part. On this loop's thread; no
    /// handler is called.
    /// </summary>
    /// <exception cref="InvalidOperationException">The caller is not on this loop's thread.</exception>
    public void FlushWriteBuffers()
    {
        RequireCurrent();
        int budget = FlushScheduler.BatchSize;
        _flushScheduler.Flush(this, ref budget);
        _timers.CountWork(FlushScheduler.BatchSize - budget);
    }

    /// <summary>
    /// Runs <paramref name="action"/> at once if the caller is on this loop's thread; otherwise posts it.
    /// </summary>
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

    /// <summary>
    /// Counts a write to a receiver whose queue is above its mark, for <see cref="WritesAboveHighWater"/>. Connections
    /// call it themselves. On this loop's thread.
    /// </summary>
    public void CountWriteAboveHighWater() => WritesAboveHighWater++;

    internal void PostClose(Connection connection, CloseReason reason)
        => Post(() => connection.CloseOnLoop(reason, null, TimeSpan.Zero));

    /// <summary>
    /// Adds a write buffer to the list of those that are flushed at the end of the iteration. On this loop.
    /// </summary>
    internal void ScheduleFlush(LoopWriteBuffer buffer)
    {
        // Checked once per iteration and connection, before anything changes: a write from another thread would
        // corrupt the loop's memory.
        RequireCurrent();
        if (buffer.IsScheduled)
        {
            return;
        }

        buffer.IsScheduled = true;
        _flushScheduler.Add(buffer, isReply: buffer.Connection == CurrentConnection);
    }

    /// <summary>
    /// Adds an in-process connection that has received bytes to the list of those to read. On this loop.
    /// </summary>
    internal void MarkReadable(Connection connection) => _readable.Enqueue(connection);

    /// <summary>
    /// Adds a connection that has bytes to deliver in the next iteration, after all others. On this loop.
    /// </summary>
    internal void ScheduleDelivery(Connection connection) => _yielded.Enqueue(connection);

    /// <summary>
    /// Whether a connection may run a costly step in this iteration. A connection that asks later than one that waits
    /// must wait too. On this loop.
    /// </summary>
    internal bool TryBeginCostlyStep(Connection connection)
    {
        if (_costlySteps == MostCostlySteps || (_waitingForStep.Count > 0 && connection != _nextForStep))
        {
            return false;
        }

        _costlySteps++;
        _timers.CountWork(WorkOfCostlyStep);
        return true;
    }

    /// <summary>
    /// Adds a connection that has bytes to deliver as soon as it may run a costly step. On this loop.
    /// </summary>
    internal void ScheduleCostlyStep(Connection connection) => _waitingForStep.Enqueue(connection);

    // Gives the steps that are left in this iteration to the connections that wait.
    private void RunCostlySteps()
    {
        for (int count = _waitingForStep.Count; count > 0 && _costlySteps < MostCostlySteps; count--)
        {
            _nextForStep = _waitingForStep.Dequeue();
            Deliver(_nextForStep);
        }

        _nextForStep = null;
        EndDelivery();
    }

    // Delivers to the connections that were in the list when the iteration began; those added later have had their
    // part of this iteration. Their writes are flushed in the next iteration, behind earlier writes.
    private void DeliverYielded(int count)
    {
        for (; count > 0; count--)
        {
            _timers.CountWork(WorkOfYield);
            Deliver(_yielded.Dequeue());
        }

        EndDelivery();
    }

    private static void Deliver(Connection connection)
    {
        try
        {
            connection.DeliverAfterYield();
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            connection.Fail(e);
        }
    }

    private void EndDelivery()
    {
        _flushScheduler.DelayWritten();
        CurrentConnection = null;
    }

    /// <summary>
    /// Flushes what the iteration has written, or a part of it. In-process peers on this loop reply within the same
    /// iteration.
    /// </summary>
    /// <param name="yielded">How many connections have yielded and wait until this is done.</param>
    private void Flush(int yielded)
    {
        IsBehind = _flushScheduler.Count > FlushScheduler.BatchSize;
        int slice = IsBehind && yielded != 0 ? (int)Math.Min(FlushScheduler.BatchSize, (long)yielded * FlushScheduler.BatchSizePerYield) : FlushScheduler.BatchSize;
        int budget = slice;
        for (int round = 0; round < MostRounds; round++)
        {
            // A flush runs no handler, but it can make an in-process peer readable, which then writes into further
            // buffers.
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

        _timers.CountWork(slice - budget);
        CurrentConnection = null;
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

    /// <summary>Runs an action; the loop continues if the action throws.</summary>
    internal void RunGuarded(Action action)
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
