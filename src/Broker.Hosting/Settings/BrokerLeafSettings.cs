using Broker.Leaf;

namespace Broker.Hosting;

/// <summary>
/// The clusters of nats-servers that the host's server joins as a leaf node: the section <c>Broker:LeafNodes</c>.
/// Settings without a value use the defaults of <see cref="LeafNodeOptions"/>.
/// </summary>
public sealed class BrokerLeafSettings
{
    /// <summary>The remote servers. If the list is empty (the default), the server joins no cluster.</summary>
    public IList<BrokerLeafRemoteSettings> Remotes { get; } = [];

    /// <summary>See <see cref="LeafNodeOptions.ReconnectDelay"/>.</summary>
    public TimeSpan? ReconnectDelay { get; set; }
}
