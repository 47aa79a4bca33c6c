namespace Broker.Transport;

/// <summary>
/// The work of an iteration that does not come from sockets, posted actions and timers: write buffers to flush,
/// in-process connections with received bytes, and connections that have yielded or wait for a costly step. Not
/// thread-safe: only the loop uses this object.
/// </summary>
internal sealed class IterationWork(EventLoop loop)
{
    // The cost of one delivery after a yield, and of one costly step, in units of one read or send.
    private const int WorkOfYield = 16;
    private const int WorkOfCostlyStep = 64;

    // In-process links may reply to each other endlessly. After this number of rounds, sockets and timers come first.
    private const int MostRounds = 16;

    private readonly FlushScheduler _flushScheduler = new();
    private readonly Queue<Connection> _readable = new();
    private readonly Queue<Connection> _yielded = new();
    private readonly Queue<Action> _lateActions = new();
    private readonly CostlySteps _costlySteps = new();
    private readonly SendShare _sendShare = new();
    private int _dueActions;

    /// <summary>Whether there is nothing to do.</summary>
    internal bool IsEmpty
        => _readable.Count == 0 && _flushScheduler.Count == 0 && _yielded.Count == 0 && _lateActions.Count == 0
            && _costlySteps.Waiting == 0;

    /// <inheritdoc cref="EventLoop.FlushBacklog"/>
    internal int FlushBacklog => _flushScheduler.Count;

    /// <inheritdoc cref="EventLoop.IsBehind"/>
    internal bool IsBehind { get; private set; }

    /// <summary>The number of times that bytes were written to a connection that had nothing to flush before.</summary>
    internal long ScheduledFlushes => _flushScheduler.Added;

    /// <summary>The connection whose handler was called last in this iteration.</summary>
    internal Connection? CurrentConnection { get; set; }

    /// <summary>
    /// Begins an iteration. Returns the number of connections that yielded earlier. These connections are called in
    /// this iteration. Connections that yield now are called in the next iteration.
    /// </summary>
    internal int BeginIteration()
    {
        _costlySteps.BeginIteration();
        _sendShare.BeginIteration();
        _dueActions = _lateActions.Count;
        return _yielded.Count;
    }

    /// <summary>Adds a write buffer to the list of buffers that are flushed at the end of the iteration.</summary>
    internal void ScheduleFlush(LoopWriteBuffer buffer)
    {
        if (buffer.IsScheduled)
        {
            return;
        }

        buffer.IsScheduled = true;
        _flushScheduler.Add(buffer, isReply: buffer.Connection == CurrentConnection);
    }

    /// <summary>Adds an in-process connection that has received bytes to the list of connections to read.</summary>
    internal void AddReadable(Connection connection) => _readable.Enqueue(connection);

    /// <summary>
    /// Adds a connection that has yielded. Its bytes are delivered in the next iteration, after all other connections
    /// have run.
    /// </summary>
    internal void AddYielded(Connection connection) => _yielded.Enqueue(connection);

    /// <inheritdoc cref="EventLoop.PostAfterFlush"/>
    internal void AddAfterFlush(Action action) => _lateActions.Enqueue(action);

    /// <summary>Adds a connection that has bytes to deliver as soon as it may run a costly step.</summary>
    internal void AddWaitingForStep(Connection connection) => _costlySteps.Add(connection);

    /// <inheritdoc cref="SendShare.Take"/>
    internal int TakeSendShare() => _sendShare.Take();

    /// <inheritdoc cref="CostlySteps.TryBegin"/>
    internal bool TryBeginCostlyStep(Connection connection)
    {
        if (!_costlySteps.TryBegin(connection))
        {
            return false;
        }

        loop.Timers.CountWork(WorkOfCostlyStep);
        return true;
    }

    /// <summary>Flushes the written bytes, or a part of them. No handler is called.</summary>
    internal void FlushOnce()
    {
        int budget = FlushScheduler.BatchSize;
        _flushScheduler.Flush(loop, ref budget);
        loop.Timers.CountWork(FlushScheduler.BatchSize - budget);
    }

    /// <summary>
    /// Flushes the bytes that the iteration has written, or a part of them. In-process peers on this loop reply within
    /// the same iteration.
    /// </summary>
    /// <param name="yielded">The number of connections that have yielded and wait until this flush is done.</param>
    internal void Flush(int yielded)
    {
        IsBehind = _flushScheduler.Count > FlushScheduler.BatchSize;
        int slice = IsBehind && yielded != 0
            ? (int)Math.Min(FlushScheduler.BatchSize, (long)yielded * FlushScheduler.BatchSizePerYield)
            : FlushScheduler.BatchSize;
        int budget = slice;
        for (int round = 0; round < MostRounds; round++)
        {
            // A flush calls no handler, but it can give bytes to an in-process peer on this loop. When the peer is
            // read, its handler writes into more buffers.
            _flushScheduler.Flush(loop, ref budget);
            if (_readable.Count == 0)
            {
                break;
            }

            for (int left = _readable.Count; left > 0; left--)
            {
                Read(_readable.Dequeue());
            }
        }

        loop.Timers.CountWork(slice - budget);
        CurrentConnection = null;
    }

    /// <summary>
    /// Delivers to the connections that have yielded before this iteration, runs the actions that were to follow the
    /// flush, and then delivers to the connections that wait for a costly step. Their writes are flushed in the next
    /// iteration, behind earlier writes.
    /// </summary>
    /// <param name="yielded">The number of connections that had yielded when the iteration began.</param>
    internal void Continue(int yielded)
    {
        if (yielded > 0)
        {
            DeliverYielded(yielded);
        }

        if (_dueActions > 0)
        {
            RunLateActions();
        }

        if (_costlySteps.Waiting > 0)
        {
            RunCostlySteps();
        }
    }

    private void DeliverYielded(int count)
    {
        for (; count > 0; count--)
        {
            loop.Timers.CountWork(WorkOfYield);
            Deliver(_yielded.Dequeue());
        }

        EndDelivery();
    }

    private void RunLateActions()
    {
        for (; _dueActions > 0; _dueActions--)
        {
            loop.Timers.CountWork(WorkOfYield);
            loop.RunGuarded(_lateActions.Dequeue());
        }

        EndDelivery();
    }

    // Gives the steps that are left in this iteration to the connections that wait.
    private void RunCostlySteps()
    {
        for (int count = _costlySteps.Waiting; count > 0 && _costlySteps.HasFree; count--)
        {
            Deliver(_costlySteps.TakeNext());
        }

        _costlySteps.EndTaking();
        EndDelivery();
    }

    private void EndDelivery()
    {
        _flushScheduler.DelayWritten();
        CurrentConnection = null;
    }

    private static void Deliver(Connection connection)
    {
        try
        {
            connection.Gate.DeliverAfterYield();
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            connection.Closing.Fail(e);
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
            connection.Closing.Fail(e);
        }
    }
}
