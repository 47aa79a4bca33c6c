namespace Broker.Server.Monitoring;

/// <summary>What is known of one client, connected or gone, at a moment. Immutable.</summary>
/// <remarks>
/// Numbers are read one by one while the client goes on. Bytes are those of payloads, headers included and protocol lines not,
/// as nats-server counts them.
/// </remarks>
public sealed record ConnectionFacts
{
    /// <summary>The client's id, as INFO told it.</summary>
    public required ulong Id { get; init; }

    /// <summary>How it is connected.</summary>
    public required ClientTransport Transport { get; init; }

    /// <summary>Its address; empty where there is none.</summary>
    public required string Address { get; init; }

    /// <summary>Its port; 0 where there is none.</summary>
    public required int Port { get; init; }

    /// <summary>When it connected; UTC.</summary>
    public required DateTime Started { get; init; }

    /// <summary>When something came from it last, within some milliseconds; UTC.</summary>
    public required DateTime LastActivity { get; init; }

    /// <summary>When it went; null while it is connected; UTC.</summary>
    public DateTime? Stopped { get; init; }

    /// <summary>Why it went, in nats-server's words; null while it is connected.</summary>
    public string? Reason { get; init; }

    /// <summary>How long it took to answer the last PING; null when it was not asked yet.</summary>
    public TimeSpan? RoundTrip { get; init; }

    /// <summary>Bytes that wait for it.</summary>
    public long PendingBytes { get; init; }

    /// <summary>Messages that it published.</summary>
    public long MessagesIn { get; init; }

    /// <summary>Messages that it was sent.</summary>
    public long MessagesOut { get; init; }

    /// <summary>Bytes of the payloads that it published.</summary>
    public long BytesIn { get; init; }

    /// <summary>Bytes of the payloads that it was sent.</summary>
    public long BytesOut { get; init; }

    /// <summary>How many subscriptions it has.</summary>
    public int Subscriptions { get; init; }

    /// <summary>The name that it gave itself. It may hold anything: escape it where it is shown.</summary>
    public string? Name { get; init; }

    /// <summary>The language of its library, as it says.</summary>
    public string? Language { get; init; }

    /// <summary>The version of its library, as it says.</summary>
    public string? Version { get; init; }

    /// <summary>Who it is, once it has proved that; never a secret.</summary>
    public string? User { get; init; }

    /// <summary>The account that it is in.</summary>
    public string Account { get; init; } = AccountNames.Global;

    /// <summary>The TLS version, such as <c>1.3</c>; null without TLS.</summary>
    public string? TlsVersion { get; init; }

    /// <summary>The TLS cipher suite by its IANA name; null without TLS.</summary>
    public string? TlsCipherSuite { get; init; }

    /// <summary>Whether the handshake of TLS came before INFO.</summary>
    public bool IsTlsFirst { get; init; }

    /// <summary>
    /// Its subscriptions, when they were asked for; within <see cref="ConnectionQuery.MostListedSubscriptions"/> for all clients
    /// of a page together.
    /// </summary>
    public IReadOnlyList<SubscriptionFacts>? SubscriptionList { get; init; }
}
