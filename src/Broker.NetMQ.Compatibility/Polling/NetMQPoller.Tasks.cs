using System.Collections.Concurrent;
using System.ComponentModel;

namespace NetMQ;

public sealed partial class NetMQPoller : ISynchronizeInvoke
{
    private readonly ConcurrentQueue<Task> _tasks = new();

    /// <summary>Whether the caller is on the poller's thread.</summary>
    public bool CanExecuteTaskInline => Volatile.Read(ref _threadId) == Environment.CurrentManagedThreadId;

    /// <summary>Always 1: the poller has one thread.</summary>
    public override int MaximumConcurrencyLevel => 1;

    bool ISynchronizeInvoke.InvokeRequired => !CanExecuteTaskInline;

    /// <summary>
    /// Runs an action on the poller's thread: at once if the caller is there or the poller does not run. An exception
    /// of an action that runs later is lost.
    /// </summary>
    public void Run(Action action)
    {
        ArgumentNullException.ThrowIfNull(action);
        if (!IsRunning || CanExecuteTaskInline)
        {
            action();
        }
        else
        {
            new Task(action).Start(this);
        }
    }

    IAsyncResult ISynchronizeInvoke.BeginInvoke(Delegate method, object?[]? args)
    {
        ArgumentNullException.ThrowIfNull(method);
        var task = new Task<object?>(() => method.DynamicInvoke(args));
        task.Start(this);
        return task;
    }

    object? ISynchronizeInvoke.EndInvoke(IAsyncResult result)
    {
        ArgumentNullException.ThrowIfNull(result);
#pragma warning disable VSTHRD002 // The caller of EndInvoke waits by contract.
        return ((Task<object?>)result).GetAwaiter().GetResult();
#pragma warning restore VSTHRD002
    }

    object? ISynchronizeInvoke.Invoke(Delegate method, object?[]? args)
    {
        ArgumentNullException.ThrowIfNull(method);
        return CanExecuteTaskInline
            ? method.DynamicInvoke(args)
            : ((ISynchronizeInvoke)this).EndInvoke(((ISynchronizeInvoke)this).BeginInvoke(method, args!));
    }

    /// <inheritdoc/>
    protected override void QueueTask(Task task)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        _tasks.Enqueue(task);
        _signal.Wake();
    }

    /// <inheritdoc/>
    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued)
        => CanExecuteTaskInline && TryExecuteTask(task);

    /// <inheritdoc/>
    protected override IEnumerable<Task> GetScheduledTasks() => _tasks.ToArray();

    // Only the tasks that were there before the round, so that a task that starts tasks leaves time for sockets.
    private bool RunTasks()
    {
        bool hasRun = false;
        for (int left = _tasks.Count; left > 0 && _tasks.TryDequeue(out Task? task); left--)
        {
            hasRun = true;
            TryExecuteTask(task);
        }

        return hasRun;
    }
}
