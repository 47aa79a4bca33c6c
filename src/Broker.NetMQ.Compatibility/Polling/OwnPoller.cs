namespace NetMQ;

/// <summary>The poller of an object that was not given one. It runs once.</summary>
internal sealed class OwnPoller : IDisposable
{
    private readonly NetMQPoller _poller = new();
    private readonly ManualResetEventSlim _hasStopped = new(initialState: false, spinCount: 0);

    internal OwnPoller(params ReadOnlySpan<NetMQSocket> sockets)
    {
        foreach (NetMQSocket socket in sockets)
        {
            _poller.Add(socket);
        }
    }

    internal void Run() => _poller.Run();

    /// <summary>Stops the poller, also if it does not run yet, and waits until it has stopped.</summary>
    internal void Stop()
    {
        try
        {
            // The task waits in the poller if the poller does not run yet.
            new Task(_poller.Stop).Start(_poller);
        }
        catch (TaskSchedulerException)
        {
            // Another thread has stopped the poller meanwhile.
        }

        if (!_poller.CanExecuteTaskInline)
        {
            _hasStopped.Wait();
        }
    }

    // A thread in Stop may still wait, so the event is left to the collector.
    public void Dispose()
    {
        _poller.Dispose();
        _hasStopped.Set();
    }
}
