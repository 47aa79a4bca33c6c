namespace Broker.ZeroMq;

/// <summary>The pause state of a proxy. Thread-safe.</summary>
internal sealed class ProxyPause
{
    private readonly Lock _gate = new();
    private TaskCompletionSource? _end;

    /// <summary>A task that completes when the pause ends; null if the proxy is not paused.</summary>
    internal Task? End => Volatile.Read(ref _end)?.Task;

    internal void Begin()
    {
        lock (_gate)
        {
            _end ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        }
    }

    internal void Finish()
    {
        lock (_gate)
        {
            TaskCompletionSource? end = _end;
            Volatile.Write(ref _end, null);
            end?.SetResult();
        }
    }
}
