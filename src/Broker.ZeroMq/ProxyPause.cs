namespace Broker.ZeroMq;

/// <summary>Whether a proxy rests. Thread-safe.</summary>
internal sealed class ProxyPause
{
    private readonly Lock _gate = new();
    private TaskCompletionSource? _end;

    /// <summary>Ends with the pause; null where there is none.</summary>
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
            var end = _end;
            Volatile.Write(ref _end, null);
            end?.SetResult();
        }
    }
}
