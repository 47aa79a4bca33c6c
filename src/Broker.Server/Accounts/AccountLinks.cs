namespace Broker.Server;

/// <summary>The configured exports and imports of an account.</summary>
internal sealed record AccountLinks(IReadOnlyList<AccountExport> Exports, IReadOnlyList<ImportLink> Imports)
{
    internal static AccountLinks None { get; } = new([], []);
}
