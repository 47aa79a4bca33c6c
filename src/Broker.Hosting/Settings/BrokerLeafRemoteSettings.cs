using Broker.Leaf;
using Broker.Transport;

namespace Broker.Hosting;

/// <summary>
/// A remote server, or the servers of one cluster, that the host's server joins as a leaf node. Settings without a value
/// use the defaults of <see cref="LeafRemoteOptions"/>. Set other options in code
/// (<see cref="BrokerSettings.ConfigureLeafNodes"/>).
/// </summary>
public sealed class BrokerLeafRemoteSettings
{
    /// <summary>See <see cref="LeafRemoteOptions.Urls"/>. At least one address is required.</summary>
    public IList<string> Urls { get; } = [];

    /// <summary>See <see cref="LeafRemoteOptions.Account"/>.</summary>
    public string? Account { get; set; }

    /// <summary>See <see cref="LeafRemoteOptions.DenyImports"/>.</summary>
    public IList<string> DenyImports { get; } = [];

    /// <summary>See <see cref="LeafRemoteOptions.DenyExports"/>.</summary>
    public IList<string> DenyExports { get; } = [];

    /// <summary>See <see cref="LeafRemoteOptions.NoRandomize"/>.</summary>
    public bool NoRandomize { get; set; }

    /// <summary>See <see cref="LeafRemoteOptions.IgnoreDiscoveredServers"/>.</summary>
    public bool IgnoreDiscoveredServers { get; set; }

    /// <summary>See <see cref="LeafRemoteOptions.JetStreamDomain"/>.</summary>
    public string? JetStreamDomain { get; set; }

    /// <summary>See <see cref="LeafRemoteOptions.IsDisabled"/>.</summary>
    public bool Disabled { get; set; }

    /// <summary>See <see cref="LeafRemoteOptions.DialTimeout"/>.</summary>
    public TimeSpan? DialTimeout { get; set; }

    /// <summary>See <see cref="LeafRemoteOptions.FirstInfoTimeout"/>.</summary>
    public TimeSpan? FirstInfoTimeout { get; set; }

    /// <summary>See <see cref="LeafRemoteOptions.MaxPendingBytes"/>.</summary>
    public long? MaxPending { get; set; }

    /// <summary>The TLS settings. Null, the default: see <see cref="LeafRemoteOptions.Tls"/>.</summary>
    public BrokerLeafTlsSettings? Tls { get; set; }

    internal LeafRemoteOptions ToOptions(Func<string?, string?> resolve)
    {
        var defaults = new LeafRemoteOptions();
        return defaults with
        {
            Urls = [.. Urls],
            Account = Account,
            DenyImports = [.. DenyImports],
            DenyExports = [.. DenyExports],
            NoRandomize = NoRandomize,
            IgnoreDiscoveredServers = IgnoreDiscoveredServers,
            JetStreamDomain = JetStreamDomain,
            IsDisabled = Disabled,
            DialTimeout = DialTimeout ?? defaults.DialTimeout,
            FirstInfoTimeout = FirstInfoTimeout ?? defaults.FirstInfoTimeout,
            MaxPendingBytes = MaxPending ?? defaults.MaxPendingBytes,
            Tls = Tls is null ? null : new ClientTlsOptions
            {
                AuthorityFile = resolve(Tls.AuthorityFile),
                CertificateFile = resolve(Tls.CertificateFile),
                KeyFile = resolve(Tls.KeyFile),
                HandshakeFirst = Tls.HandshakeFirst,
            },
        };
    }
}
