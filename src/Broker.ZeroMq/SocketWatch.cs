namespace Broker.ZeroMq;

/// <summary>A callback that is registered at a socket until this object is disposed.</summary>
internal sealed class SocketWatch(Action unwatch) : IDisposable
{
    private Action? _unwatch = unwatch;

    public void Dispose() => Interlocked.Exchange(ref _unwatch, null)?.Invoke();
}
