using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Broker.Leaf;

/// <summary>The options of <see cref="LeafNodes"/>.</summary>
public sealed record LeafNodeOptions
{
    /// <summary>The servers that the broker joins as a leaf node.</summary>
    public IReadOnlyList<LeafRemoteOptions> Remotes { get; init; } = [];

    /// <summary>How other servers join this server as leaf nodes. Null, the default: they cannot.</summary>
    public LeafListenOptions? Listen { get; init; }

    /// <summary>
    /// The time between two attempts to connect to a remote, one second by default. A random time of up to one second
    /// is added.
    /// </summary>
    public TimeSpan ReconnectDelay { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>The time between two PINGs on a link, two minutes by default.</summary>
    public TimeSpan PingInterval { get; init; } = TimeSpan.FromMinutes(2);

    /// <summary>The log of all links. Default: no log.</summary>
    public ILogger Logger { get; init; } = NullLogger.Instance;
}
