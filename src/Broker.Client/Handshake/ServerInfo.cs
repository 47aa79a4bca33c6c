namespace Broker.Client;

/// <summary>
/// The data that a server has sent about itself and about this connection (its INFO). Immutable. A text is null if the
/// server has not sent it.
/// </summary>
public sealed record ServerInfo
{
    internal ServerInfo(InfoMessage info)
    {
        Id = info.ServerId;
        Name = info.ServerName;
        Version = info.Version;
        BrokerVersion = info.BrokerVersion;
        Cluster = info.Cluster;
        Domain = info.Domain;
        JetStream = info.JetStream;
        ClientId = info.ClientId;
        ClientAddress = info.ClientAddress;
        MaxPayload = info.MaxPayload;
        Headers = info.Headers;
        TlsRequired = info.TlsRequired;
        LameDuck = info.LameDuck;
        ConnectUrls = info.ConnectUrls ?? [];
    }

    /// <summary>The id of the server, which is new at each start of the server.</summary>
    public string? Id { get; }

    /// <summary>The name of the server.</summary>
    public string? Name { get; }

    /// <summary>The version of the server, such as <c>2.10.27</c>.</summary>
    public string? Version { get; }

    /// <summary>
    /// The version of this project's broker, such as <c>0.1.0</c>; null for another server. Then <see cref="Version"/> is that
    /// of the nats-server whose features the broker has.
    /// </summary>
    public string? BrokerVersion { get; }

    /// <summary>The name of the cluster that the server belongs to.</summary>
    public string? Cluster { get; }

    /// <summary>The JetStream domain of the server.</summary>
    public string? Domain { get; }

    /// <summary>Whether the server has JetStream.</summary>
    public bool JetStream { get; }

    /// <summary>The number that the server has given to this connection. 0 if the server has not sent it.</summary>
    public ulong ClientId { get; }

    /// <summary>The address of this client as the server sees it, without a port.</summary>
    public string? ClientAddress { get; }

    /// <summary>The largest message that the server accepts, in bytes, headers included.</summary>
    public long MaxPayload { get; }

    /// <summary>Whether the server supports headers.</summary>
    public bool Headers { get; }

    /// <summary>Whether the server requires TLS.</summary>
    public bool TlsRequired { get; }

    /// <summary>Whether the server has announced that it will shut down.</summary>
    public bool LameDuck { get; }

    /// <summary>The servers of the same cluster, as <c>host:port</c>. Empty if the server lists none.</summary>
    public IReadOnlyList<string> ConnectUrls { get; }
}
