namespace Broker.Server;

/// <summary>One client in <see cref="Connz"/>.</summary>
internal sealed record ConnzConnection
{
    public ulong Cid { get; init; }

    public string Kind { get; } = "Client";

    public required string Type { get; init; }

    public required string Ip { get; init; }

    public int Port { get; init; }

    public DateTime Start { get; init; }

    public DateTime LastActivity { get; init; }

    public DateTime? Stop { get; init; }

    public string? Reason { get; init; }

    public string? Rtt { get; init; }

    public required string Uptime { get; init; }

    public required string Idle { get; init; }

    public long PendingBytes { get; init; }

    public long? Stalls { get; init; }

    public long InMsgs { get; init; }

    public long OutMsgs { get; init; }

    public long InBytes { get; init; }

    public long OutBytes { get; init; }

    public int Subscriptions { get; init; }

    public string? Name { get; init; }

    public string? Lang { get; init; }

    public string? Version { get; init; }

    public string? TlsVersion { get; init; }

    public string? TlsCipherSuite { get; init; }

    public bool? TlsFirst { get; init; }

    public string? AuthorizedUser { get; init; }

    public string? Account { get; init; }

    public IEnumerable<string>? SubscriptionsList { get; init; }

    public IEnumerable<SubscriptionDetail>? SubscriptionsListDetail { get; init; }

    internal static ConnzConnection From(ConnectionDescription facts, DateTime now, bool withUser, bool detailed)
    {
        DateTime end = facts.Stopped ?? now;
        // As in nats-server, the field is missing if the client has no subscriptions.
        IReadOnlyList<SubscriptionDescription>? list = facts.SubscriptionList is { Count: > 0 } some ? some : null;
        return new ConnzConnection
        {
            Cid = facts.Id,
            Type = facts.Transport == ClientTransport.WebSocket ? "websocket" : "nats",
            Ip = facts.Address,
            Port = facts.Port,
            Start = facts.Started,
            LastActivity = facts.LastActivity,
            Stop = facts.Stopped,
            Reason = facts.Reason,
            Rtt = facts.RoundTrip is { } time ? GoText.Duration(time) : null,
            Uptime = GoText.Uptime(end - facts.Started),
            Idle = GoText.Uptime(end - facts.LastActivity),
            PendingBytes = facts.PendingBytes,
            Stalls = facts.Stalls == 0 ? null : facts.Stalls,
            InMsgs = facts.MessagesIn,
            OutMsgs = facts.MessagesOut,
            InBytes = facts.BytesIn,
            OutBytes = facts.BytesOut,
            Subscriptions = facts.Subscriptions,
            Name = OrNull(facts.Name),
            Lang = OrNull(facts.Language),
            Version = OrNull(facts.Version),
            TlsVersion = facts.TlsVersion,
            TlsCipherSuite = facts.TlsCipherSuite,
            TlsFirst = facts.IsTlsFirst ? true : null,
            AuthorizedUser = withUser ? facts.User : null,
            Account = withUser && facts.User is not null ? facts.Account : null,
            SubscriptionsList = detailed ? null : list?.Select(s => s.Subject),
            SubscriptionsListDetail = detailed ? list?.Select(s => SubscriptionDetail.From(s, withAccount: false)) : null,
        };
    }

    private static string? OrNull(string? text) => string.IsNullOrEmpty(text) ? null : text;
}
