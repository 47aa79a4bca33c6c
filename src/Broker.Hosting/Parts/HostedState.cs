namespace Broker.Hosting;

/// <summary>The state of the host's lifecycle, for health checks.</summary>
internal sealed class HostedState
{
    private volatile bool _isStarted;
    private volatile bool _isDraining;

    /// <summary>Whether all parts have started.</summary>
    public bool IsStarted => _isStarted;

    /// <summary>Whether the host has begun to stop.</summary>
    public bool IsDraining => _isDraining;

    public void Start() => _isStarted = true;

    public void Drain() => _isDraining = true;
}
