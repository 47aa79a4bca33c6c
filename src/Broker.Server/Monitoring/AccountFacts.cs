using Broker.Server.Accounts;

namespace Broker.Server.Monitoring;

/// <summary>One account at a moment. Immutable.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Connections">How many clients are in it.</param>
/// <param name="Subscriptions">How many subscriptions there are in it.</param>
public sealed record AccountFacts(string Name, int Connections, int Subscriptions)
{
    /// <summary>Whether the server's own events are published in it.</summary>
    public bool IsSystem { get; init; }

    /// <summary>When it was set up or changed last; UTC.</summary>
    public DateTime Updated { get; init; }

    /// <summary>What its router holds.</summary>
    public required RoutingFacts Routing { get; init; }

    /// <summary>What others may import.</summary>
    public IReadOnlyList<AccountExport> Exports { get; init; } = [];

    /// <summary>What it imports.</summary>
    public IReadOnlyList<ImportFacts> Imports { get; init; } = [];

    /// <summary>The account of those who are in no other.</summary>
    public const string GlobalName = AccountNames.Global;

    /// <summary>The account of the server's own events.</summary>
    public const string SystemName = AccountNames.System;
}
