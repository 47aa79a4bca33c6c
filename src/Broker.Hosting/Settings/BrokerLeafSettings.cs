using System.Net;
using Broker.Leaf;

namespace Broker.Hosting;

/// <summary>
/// The clusters of nats-servers that the host's server joins as a leaf node, and the port at which other servers join the
/// host's server: the section <c>Broker:LeafNodes</c>. Settings without a value use the defaults of
/// <see cref="LeafNodeOptions"/> and <see cref="LeafListenOptions"/>.
/// </summary>
public sealed class BrokerLeafSettings
{
    /// <summary>The remote servers. If the list is empty (the default), the server joins no cluster.</summary>
    public IList<BrokerLeafRemoteSettings> Remotes { get; } = [];

    /// <summary>See <see cref="LeafNodeOptions.ReconnectDelay"/>.</summary>
    public TimeSpan? ReconnectDelay { get; set; }

    /// <summary>
    /// The IP address and port at which other servers join, such as <c>0.0.0.0:7422</c>. Null, the default: they cannot.
    /// </summary>
    public string? Listen { get; set; }

    /// <summary>See <see cref="LeafListenOptions.Users"/>.</summary>
    public IList<BrokerLeafUserSettings> Users { get; } = [];

    /// <summary>See <see cref="LeafListenOptions.Tls"/>.</summary>
    public BrokerTlsSettings? Tls { get; set; }

    /// <summary>See <see cref="LeafListenOptions.Advertise"/>.</summary>
    public string? Advertise { get; set; }

    internal LeafListenOptions? ToListenOptions(Func<string?, string?> resolve)
    {
        if (Listen is null)
        {
            return Users.Count == 0 && Tls is null && Advertise is null
                ? null
                : throw new ArgumentException("Listen: it is missing, but Users, Tls or Advertise are set.");
        }

        return new LeafListenOptions
        {
            EndPoint = IPEndPoint.TryParse(Listen, out IPEndPoint? endPoint) && Listen.Contains(':', StringComparison.Ordinal)
                ? endPoint
                : throw new ArgumentException($"Listen: \"{Listen}\" is not an IP address and a port, such as \"0.0.0.0:7422\"."),
            Users = [.. Users.Select(static u => u.ToUser())],
            Tls = Tls?.ToOptions(resolve),
            Advertise = Advertise,
        };
    }
}
