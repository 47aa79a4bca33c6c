namespace Broker.AspNetCore;

/// <summary>One account in <see cref="Accountz"/>.</summary>
internal sealed record AccountDetail
{
    public required string AccountName { get; init; }

    public DateTime UpdateTime { get; init; }

    public bool? IsSystem { get; init; }

    public bool Expired { get; }

    public bool Complete { get; } = true;

    public bool JetstreamEnabled { get; }

    public int LeafnodeConnections { get; }

    public int ClientConnections { get; init; }

    public int Subscriptions { get; init; }

    public IEnumerable<ExportDetail>? Exports { get; init; }

    public IEnumerable<ImportDetail>? Imports { get; init; }

    public required Subsz SublistStats { get; init; }
}
