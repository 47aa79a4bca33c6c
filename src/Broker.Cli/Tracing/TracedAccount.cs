using Broker.Server;

namespace Broker.Cli.Tracing;

/// <summary>The mappings and imports of an account, which decide the way of a message.</summary>
/// <param name="Name">The name of the account.</param>
/// <param name="Mappings">The subject mappings, in the order in which they apply.</param>
/// <param name="Imports">The imports from other accounts.</param>
internal sealed record TracedAccount(string Name, IReadOnlyList<SubjectMapping> Mappings, IReadOnlyList<AccountImport> Imports)
{
    /// <summary>The public key of an account whose name is in its JWT; null for another account.</summary>
    public string? Key { get; init; }

    /// <summary>Whether a text is the name or the key of the account.</summary>
    public bool Is(string text) => text == Name || text == Key;
}
