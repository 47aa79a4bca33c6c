namespace Broker.Hosting;

/// <summary>How far the host's life has come, for health checks.</summary>
internal sealed class HostedState
{
    private volatile bool _isStarted;
    private volatile bool _isDraining;

    /// <summary>Whether everything of ours has started.</summary>
    public bool IsStarted => _isStarted;

    /// <summary>Whether the host has begun to stop.</summary>
    public bool IsDraining => _isDraining;

    public void Start() => _isStarted = true;

    public void Drain() => _isDraining = true;
}
