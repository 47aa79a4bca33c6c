namespace Broker.Server;

/// <summary>The response of <c>/jsz</c>, with the field names of nats-server.</summary>
internal sealed record Jsz(string ServerId, DateTime Now)
{
    /// <summary>Only a server without streams has this field, as in nats-server.</summary>
    public bool? Disabled { get; init; }

    public JszConfig Config { get; init; } = new();

    public long Memory { get; init; }

    public long Storage { get; init; }

    public long ReservedMemory { get; init; }

    public long ReservedStorage { get; init; }

    public int Accounts { get; init; }

    public int HaAssets { get; }

    public JszApi Api { get; init; } = new(0, 0);

    public int Streams { get; init; }

    public int Consumers { get; init; }

    public long Messages { get; init; }

    public long Bytes { get; init; }

    public IEnumerable<JszAccount>? AccountDetails { get; init; }

    /// <summary>The number of accounts, from which offset and limit select.</summary>
    public int? Total { get; init; }

    /// <summary>The page of a server.</summary>
    /// <param name="server">The server.</param>
    /// <param name="accounts">All accounts with streams.</param>
    /// <param name="query">The query that returned the accounts; null to write no account.</param>
    /// <param name="offset">The number of accounts to skip, unless the query names one.</param>
    /// <param name="limit">The maximum number of accounts.</param>
    internal static Jsz From(ServerDescription server, IReadOnlyList<AccountStreamsDescription> accounts, StreamsQuery? query, int offset, int limit)
    {
        if (server.Streams is not { } streams)
        {
            return new Jsz(server.Id, server.Now) { Disabled = true };
        }

        IEnumerable<AccountStreamsDescription> listed = query?.Account is { } name
            ? accounts.Where(account => string.Equals(account.Account, name, StringComparison.Ordinal))
            : accounts.Skip(offset).Take(limit);
        JszAccount[] details = query is null ? [] : [.. listed.Select(JszAccount.From)];
        return new Jsz(server.Id, server.Now)
        {
            Config = JszConfig.From(streams),
            Memory = streams.Memory,
            Storage = streams.File,
            ReservedMemory = streams.ReservedMemory,
            ReservedStorage = streams.ReservedFile,
            Accounts = streams.Accounts.Count,
            Api = new JszApi(streams.Requests, streams.Errors),
            Streams = accounts.Sum(static account => account.Streams),
            Consumers = accounts.Sum(static account => account.Consumers),
            Messages = accounts.Sum(static account => account.Messages),
            Bytes = accounts.Sum(static account => account.Memory + account.File),
            AccountDetails = details.Length == 0 ? null : details,
            Total = streams.Accounts.Count,
        };
    }
}
