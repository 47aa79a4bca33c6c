namespace Broker.Server;

/// <summary>The state of one account. Immutable.</summary>
/// <param name="Name">The name of the account.</param>
/// <param name="Connections">The number of clients in the account.</param>
/// <param name="Subscriptions">The number of subscriptions in the account.</param>
public sealed record AccountDescription(string Name, int Connections, int Subscriptions)
{
    /// <summary>Whether the server publishes its own events in this account.</summary>
    public bool IsSystem { get; init; }

    /// <summary>Whether the account may have streams.</summary>
    public bool HasStreams { get; init; }

    /// <summary>The UTC time when the account was created or changed last.</summary>
    public DateTime Updated { get; init; }

    /// <summary>The number of peer servers that take part in the account now, such as leaf nodes.</summary>
    public int Peers { get; init; }

    /// <summary>The counters of the account's router.</summary>
    public required RoutingCounters Routing { get; init; }

    /// <summary>The exports of the account.</summary>
    public IReadOnlyList<AccountExport> Exports { get; init; } = [];

    /// <summary>The imports of the account.</summary>
    public IReadOnlyList<ImportDescription> Imports { get; init; } = [];

    /// <summary>The subject mappings of the account.</summary>
    public IReadOnlyList<SubjectMapping> Mappings { get; init; } = [];

    /// <summary>The number of messages that the account's clients published since the start.</summary>
    public long MessagesIn { get; init; }

    /// <summary>The number of payload bytes that the account's clients published since the start.</summary>
    public long BytesIn { get; init; }

    /// <summary>The number of messages that were delivered to the account's clients since the start.</summary>
    public long MessagesOut { get; init; }

    /// <summary>The number of payload bytes that were delivered to the account's clients since the start.</summary>
    public long BytesOut { get; init; }

    /// <summary>The name of the account of clients that are in no other account.</summary>
    public const string GlobalName = AccountNames.Global;

    /// <summary>The default name of the account in which the server publishes its own events.</summary>
    public const string SystemName = AccountNames.System;
}
