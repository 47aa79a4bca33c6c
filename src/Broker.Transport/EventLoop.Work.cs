namespace Broker.Transport;

// The work that the loop gets from other threads, from handlers and from the parts of a connection: actions, timers,
// flushes and later deliveries.
public sealed partial class EventLoop
{
    /// <summary>
    /// The number of connections for which this loop has written bytes that are not flushed yet. An iteration flushes
    /// to about <see cref="FlushBatchSize"/> of these connections. If a handler makes the number larger than that, it
    /// should let other connections run first (<see cref="Connection.YieldReceiving"/>). On this loop's thread.
    /// </summary>
    public int FlushBacklog => _work.FlushBacklog;

    /// <summary>
    /// The approximate number of connections to which one iteration flushes before it checks again which connections
    /// are ready.
    /// </summary>
    public static int FlushBatchSize => FlushScheduler.BatchSize;

    /// <summary>
    /// Whether more than <see cref="FlushBatchSize"/> connections waited for a flush when the last flush began. In this
    /// case, the iteration flushes only to a few connections for each handler that yields, so that iterations stay
    /// short. A handler that yields should then do less work at a time, or the backlog grows. On this loop's thread.
    /// </summary>
    public bool IsBehind => _work.IsBehind;

    /// <summary>
    /// The number of writes of this loop to connections above their mark (<see cref="Connection.HighWaterBytes"/>). A
    /// larger number after a handler's work means that it has written too much. On this loop's thread.
    /// </summary>
    public long WritesAboveHighWater { get; private set; }

    /// <summary>How often a connection that had nothing to flush was written to. On the loop.</summary>
    internal long ScheduledFlushes => _work.ScheduledFlushes;

    /// <summary>The connection whose handler was called last in this iteration. On the loop.</summary>
    internal Connection? CurrentConnection
    {
        get => _work.CurrentConnection;
        set => _work.CurrentConnection = value;
    }

    internal TimerQueue Timers => _timers;

    /// <summary>
    /// Runs <paramref name="action"/> on this loop's thread, after the actions that were posted earlier. Any thread.
    /// After the group has been disposed, the action never runs. <see cref="TryPost"/> reports this.
    /// </summary>
    public void Post(Action action) => TryPost(action);

    /// <summary>
    /// Posts an action like <see cref="Post"/>. Returns true if the action will run, and false if it will not run
    /// because the loop has ended.
    /// </summary>
    public bool TryPost(Action action)
    {
        ArgumentNullException.ThrowIfNull(action);
        return _posted.TryAdd(action, IsCurrent);
    }

    /// <summary>
    /// Runs an action in the loop's next iteration, after all ready connections and posted actions have run and written
    /// bytes were flushed: for a part of a long work, so that other connections are served between two parts. A loop
    /// that ends does not run it. On this loop's thread.
    /// </summary>
    /// <exception cref="InvalidOperationException">The caller is not on this loop's thread.</exception>
    public void PostAfterFlush(Action action)
    {
        ArgumentNullException.ThrowIfNull(action);
        RequireCurrent();
        _work.AddAfterFlush(action);
    }

    /// <summary>Runs the action at once if the caller is on this loop's thread; otherwise posts it.</summary>
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
    /// Calls <paramref name="callback"/> once on this loop after the time <paramref name="due"/> has passed by the
    /// group's <see cref="EventLoopOptions.TimeProvider"/>. Unless the loop is overloaded, the call comes at most some
    /// milliseconds later. A caller-driven loop makes the call in the first iteration after that time. On this loop's
    /// thread.
    /// </summary>
    /// <exception cref="InvalidOperationException">The caller is not on this loop's thread.</exception>
    public LoopTimer StartTimer(TimeSpan due, Action callback)
    {
        ArgumentNullException.ThrowIfNull(callback);
        var timer = new LoopTimer(this, callback);
        RequireCurrent();
        _timers.Add(timer, due);
        return timer;
    }

    /// <summary>
    /// Runs <paramref name="action"/> once on this loop after <paramref name="delay"/> has passed by the system's
    /// clock. This is for delays below a millisecond, for example to collect writes. On Linux, the action runs about
    /// ten microseconds after the delay. On other systems, or if a filter of system calls blocks the exact wait, the
    /// action may run later by a millisecond or by a tick of the system's timer. On this loop's thread.
    /// </summary>
    /// <exception cref="InvalidOperationException">The caller is not on this loop's thread.</exception>
    public void RunAfter(TimeSpan delay, Action action)
    {
        ArgumentNullException.ThrowIfNull(action);
        RequireCurrent();
        _timers.AddShort(delay, action);
    }

    /// <summary>
    /// Flushes and sends bytes that this loop has written so far, as the end of an iteration does. It flushes all bytes
    /// if they are for at most about <see cref="FlushBatchSize"/> connections, and otherwise a part of them. No handler
    /// is called. On this loop's thread.
    /// </summary>
    /// <exception cref="InvalidOperationException">The caller is not on this loop's thread.</exception>
    public void FlushWriteBuffers()
    {
        RequireCurrent();
        _work.FlushOnce();
    }

    /// <summary>
    /// Counts a write to a receiver whose queue is above its mark, for <see cref="WritesAboveHighWater"/>. Connections
    /// call this method themselves. On this loop's thread.
    /// </summary>
    public void CountWriteAboveHighWater() => WritesAboveHighWater++;

    internal void PostClose(Connection connection, CloseReason reason)
        => Post(() => connection.CloseOnLoop(reason, null, TimeSpan.Zero));

    /// <inheritdoc cref="SendShare.Take"/>
    internal int TakeSendShare() => _work.TakeSendShare();

    /// <inheritdoc cref="IterationWork.ScheduleFlush"/>
    internal void ScheduleFlush(LoopWriteBuffer buffer)
    {
        // The thread is checked before anything changes, once for each iteration and connection. A write from another
        // thread would corrupt the loop's memory.
        RequireCurrent();
        _work.ScheduleFlush(buffer);
    }

    /// <inheritdoc cref="IterationWork.AddReadable"/>
    internal void MarkReadable(Connection connection) => _work.AddReadable(connection);

    /// <inheritdoc cref="IterationWork.AddYielded"/>
    internal void ScheduleDelivery(Connection connection) => _work.AddYielded(connection);

    /// <inheritdoc cref="IterationWork.TryBeginCostlyStep"/>
    internal bool TryBeginCostlyStep(Connection connection) => _work.TryBeginCostlyStep(connection);

    /// <inheritdoc cref="IterationWork.AddWaitingForStep"/>
    internal void ScheduleCostlyStep(Connection connection) => _work.AddWaitingForStep(connection);

    /// <summary>Runs an action. If the action throws, the exception is reported and the loop continues.</summary>
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
