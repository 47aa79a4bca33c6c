namespace Broker.Transport;

/// <summary>
/// The work of an iteration beside sockets, posted actions and timers: write buffers to flush, in-process peers with
/// bytes, and connections that have yielded or wait for a costly step. Not thread-safe: only its loop uses it.
/// </summary>
internal sealed class IterationWork(EventLoop loop)
{
    // The work of one delivery after a yield and of one costly step, in units of a read or a send.
    private const int WorkOfYield = 16;
    private const int WorkOfCostlyStep = 64;

    // In-process links may reply to each other endlessly; after this many rounds sockets and timers come first.
    private const int MostRounds = 16;

    private readonly FlushScheduler _flushScheduler = new();
    private readonly Queue<Connection> _readable = new();
    private readonly Queue<Connection> _yielded = new();
    private readonly Queue<Action> _lateActions = new();
    private readonly CostlySteps _costlySteps = new();
    private int _dueActions;

    /// <summary>Whether there is nothing to do.</summary>
    internal bool IsEmpty
        => _readable.Count == 0 && _flushScheduler.Count == 0 && _yielded.Count == 0 && _lateActions.Count == 0
            && _costlySteps.Waiting == 0;

    /// <inheritdoc cref="EventLoop.FlushBacklog"/>
    internal int FlushBacklog => _flushScheduler.Count;

    /// <inheritdoc cref="EventLoop.IsBehind"/>
    internal bool IsBehind { get; private set; }

    /// <summary>How often a connection that had nothing to flush was written to.</summary>
    internal long ScheduledFlushes => _flushScheduler.Added;

    /// <summary>The connection whose handler was called last in this iteration.</summary>
    internal Connection? CurrentConnection { get; set; }

    /// <summary>
    /// Begins an iteration. Returns how many connections have yielded before: they are called in this iteration, and
    /// those that yield now in the next one.
    /// </summary>
    internal int BeginIteration()
    {
        _costlySteps.BeginIteration();
        _dueActions = _lateActions.Count;
        return _yielded.Count;
    }

    /// <summary>Adds a write buffer to the list of those that are flushed at the end of the iteration.</summary>
    internal void ScheduleFlush(LoopWriteBuffer buffer)
    {
        if (buffer.IsScheduled)
        {
            return;
        }

        buffer.IsScheduled = true;
        _flushScheduler.Add(buffer, isReply: buffer.Connection == CurrentConnection);
    }

    /// <summary>Adds an in-process connection that has received bytes to the list of those to read.</summary>
    internal void AddReadable(Connection connection) => _readable.Enqueue(connection);

    /// <summary>Adds a connection that has bytes to deliver in the next iteration, after all others.</summary>
    internal void AddYielded(Connection connection) => _yielded.Enqueue(connection);

    /// <inheritdoc cref="EventLoop.PostAfterFlush"/>
    internal void AddAfterFlush(Action action) => _lateActions.Enqueue(action);

    /// <summary>Adds a connection that has bytes to deliver as soon as it may run a costly step.</summary>
    internal void AddWaitingForStep(Connection connection) => _costlySteps.Add(connection);

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

    /// <summary>Flushes what was written, or a part of it. No handler is called.</summary>
    internal void FlushOnce()
    {
        int budget = FlushScheduler.BatchSize;
        _flushScheduler.Flush(loop, ref budget);
        loop.Timers.CountWork(FlushScheduler.BatchSize - budget);
    }

    /// <summary>
    /// Flushes what the iteration has written, or a part of it. In-process peers on this loop reply within the same
    /// iteration.
    /// </summary>
    /// <param name="yielded">How many connections have yielded and wait until this is done.</param>
    internal void Flush(int yielded)
    {
        IsBehind = _flushScheduler.Count > FlushScheduler.BatchSize;
        int slice = IsBehind && yielded != 0
            ? (int)Math.Min(FlushScheduler.BatchSize, (long)yielded * FlushScheduler.BatchSizePerYield)
            : FlushScheduler.BatchSize;
        int budget = slice;
        for (int round = 0; round < MostRounds; round++)
        {
            // A flush runs no handler, but it can make an in-process peer readable, which then writes into further
            // buffers.
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
    /// flush, and then delivers to the connections that wait for a costly step. Their writes are flushed in the next iteration, behind earlier writes.
    /// </summary>
    /// <param name="yielded">How many had yielded when the iteration began.</param>
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
