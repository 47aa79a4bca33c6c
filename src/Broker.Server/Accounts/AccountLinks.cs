namespace Broker.Server.Accounts;

/// <summary>What an account exports and imports, as it was set up.</summary>
internal sealed record AccountLinks(IReadOnlyList<AccountExport> Exports, IReadOnlyList<ImportLink> Imports)
{
    internal static AccountLinks None { get; } = new([], []);
}
