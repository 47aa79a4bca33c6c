namespace Broker.Server;

/// <summary>One account in <see cref="Accountz"/>.</summary>
internal sealed record AccountDetail
{
    public required string AccountName { get; init; }

    public DateTime UpdateTime { get; init; }

    public bool? IsSystem { get; init; }

    public bool Expired { get; }

    public bool Complete { get; } = true;

    public bool JetstreamEnabled { get; init; }

    public int LeafnodeConnections { get; init; }

    public int ClientConnections { get; init; }

    public int Subscriptions { get; init; }

    public IReadOnlyDictionary<string, IReadOnlyList<MappedSubject>>? Mappings { get; init; }

    public IEnumerable<ExportDetail>? Exports { get; init; }

    public IEnumerable<ImportDetail>? Imports { get; init; }

    public required Subsz SublistStats { get; init; }

    internal static AccountDetail From(AccountDescription account) => new()
    {
        AccountName = account.Name,
        UpdateTime = account.Updated,
        IsSystem = account.IsSystem ? true : null,
        JetstreamEnabled = account.HasStreams,
        LeafnodeConnections = account.Peers,
        ClientConnections = account.Connections,
        Subscriptions = account.Subscriptions,
        Mappings = account.Mappings.Count == 0
            ? null
            : new SortedDictionary<string, IReadOnlyList<MappedSubject>>(
                account.Mappings.ToDictionary(static m => m.Source, MappedSubject.From, StringComparer.Ordinal), StringComparer.Ordinal),
        Exports = account.Exports.Count == 0 ? null : account.Exports.Select(ExportDetail.From),
        Imports = account.Imports.Count == 0 ? null : account.Imports.Select(ImportDetail.From),
        SublistStats = Subsz.Of(account.Routing),
    };
}
