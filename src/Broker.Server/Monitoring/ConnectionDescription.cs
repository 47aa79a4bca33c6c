namespace Broker.Server;

/// <summary>The state of one connected or closed client. Immutable.</summary>
/// <remarks>
/// The counters are read one after another while the client is active, so they may belong to slightly different
/// moments. As in nats-server, byte counters include payloads and headers, but not protocol lines.
/// </remarks>
public sealed record ConnectionDescription
{
    /// <summary>The client id, as in INFO.</summary>
    public required ulong Id { get; init; }

    /// <summary>The kind of transport.</summary>
    public required ClientTransport Transport { get; init; }

    /// <summary>The client's IP address; empty if the client has no IP address.</summary>
    public required string Address { get; init; }

    /// <summary>The client's port; 0 if the client has no port.</summary>
    public required int Port { get; init; }

    /// <summary>The UTC time when the client connected.</summary>
    public required DateTime Started { get; init; }

    /// <summary>
    /// The UTC time when the server received data from the client last, with a precision of some milliseconds.
    /// </summary>
    public required DateTime LastActivity { get; init; }

    /// <summary>The UTC time when the connection was closed; null while it is open.</summary>
    public DateTime? Stopped { get; init; }

    /// <summary>
    /// The reason why the connection was closed, in the words of nats-server; null while it is open.
    /// </summary>
    public string? Reason { get; init; }

    /// <summary>The round-trip time of the last PING; null before the first measurement.</summary>
    public TimeSpan? RoundTrip { get; init; }

    /// <summary>The number of bytes that are queued for the client.</summary>
    public long PendingBytes { get; init; }

    /// <summary>
    /// How often the server slowed the client down because it published faster than a subscriber read; see
    /// <see cref="BrokerServerOptions.StallFastPublishers"/>.
    /// </summary>
    public long Stalls { get; init; }

    /// <summary>The number of messages that the client published.</summary>
    public long MessagesIn { get; init; }

    /// <summary>The number of messages that were delivered to the client.</summary>
    public long MessagesOut { get; init; }

    /// <summary>The number of payload bytes that the client published.</summary>
    public long BytesIn { get; init; }

    /// <summary>The number of payload bytes that were delivered to the client.</summary>
    public long BytesOut { get; init; }

    /// <summary>The number of the client's subscriptions.</summary>
    public int Subscriptions { get; init; }

    /// <summary>
    /// The client's name from its CONNECT. It may contain any characters, so escape it before you display it.
    /// </summary>
    public string? Name { get; init; }

    /// <summary>The language of the client library, from the CONNECT.</summary>
    public string? Language { get; init; }

    /// <summary>The version of the client library, from the CONNECT.</summary>
    public string? Version { get; init; }

    /// <summary>
    /// The name of the authenticated user; null before authentication. The name never contains a secret.
    /// </summary>
    public string? User { get; init; }

    /// <summary>The name of the client's account.</summary>
    public string Account { get; init; } = AccountNames.Global;

    /// <summary>The TLS version, such as <c>1.3</c>; null without TLS.</summary>
    public string? TlsVersion { get; init; }

    /// <summary>The IANA name of the TLS cipher suite; null without TLS.</summary>
    public string? TlsCipherSuite { get; init; }

    /// <summary>Whether the TLS handshake came before INFO.</summary>
    public bool IsTlsFirst { get; init; }

    /// <summary>
    /// The client's subscriptions; null if the query did not request them. All clients of a page together list at most
    /// <see cref="ConnectionQuery.MaxListedSubscriptions"/> subscriptions. The list creates each description when it is
    /// read, so read it once.
    /// </summary>
    public IReadOnlyList<SubscriptionDescription>? SubscriptionList { get; init; }
}
