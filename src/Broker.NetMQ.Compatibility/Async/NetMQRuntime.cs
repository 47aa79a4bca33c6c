namespace NetMQ;

/// <summary>
/// Runs asynchronous code on the thread that creates it: the <c>Async</c> calls of sockets and their continuations run
/// in <see cref="Run(Task[])"/>.
/// </summary>
public class NetMQRuntime : IDisposable
{
    private readonly NetMQPoller _poller = new();
    private readonly RuntimeSynchronizationContext _context;
    private readonly SynchronizationContext? _before = SynchronizationContext.Current;

    /// <summary>Creates the runtime of the calling thread.</summary>
    public NetMQRuntime()
    {
        _context = new RuntimeSynchronizationContext(this, _poller);
        SynchronizationContext.SetSynchronizationContext(_context);
    }

    /// <summary>The runtime of the calling thread.</summary>
    /// <exception cref="InvalidOperationException">The thread has no runtime.</exception>
    public static NetMQRuntime Current
        => (SynchronizationContext.Current as RuntimeSynchronizationContext)?.Runtime
            ?? throw new InvalidOperationException("Create a NetMQRuntime on this thread before asynchronous calls.");

    /// <summary>Runs until the tasks have ended, in whatever way.</summary>
    public void Run(params Task[] tasks) => Run(CancellationToken.None, tasks);

    /// <summary>Runs until the tasks have ended, in whatever way, or the token is cancelled.</summary>
    public void Run(CancellationToken cancellationToken, params Task[] tasks)
    {
        // The task that stops the poller waits in it, so that it may come before the poller runs.
        using CancellationTokenRegistration cancellation = cancellationToken.Register(PostStop);
        _ = Task.WhenAll(tasks).ContinueWith(
            _ => PostStop(), CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        _poller.Run(_context);
    }

    /// <summary>Ends the runtime. Its sockets stay open.</summary>
    public void Dispose()
    {
        if (SynchronizationContext.Current == _context)
        {
            SynchronizationContext.SetSynchronizationContext(_before);
        }

        _poller.Dispose();
        GC.SuppressFinalize(this);
    }

    /// <summary>Serves a socket for a call that waits.</summary>
    internal void Watch(NetMQSocket socket) => _poller.Add(socket);

    internal void Unwatch(NetMQSocket socket) => _poller.Remove(socket);

    /// <summary>Runs an action on the runtime's thread.</summary>
    internal void Post(Action action) => new Task(action).Start(_poller);

    private void PostStop()
    {
        if (!_poller.IsDisposed)
        {
            Post(_poller.Stop);
        }
    }
}
