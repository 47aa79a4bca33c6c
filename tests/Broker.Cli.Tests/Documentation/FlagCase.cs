namespace Broker.Cli.Tests.Documentation;

/// <summary>What a flag may be given and what it may not.</summary>
/// <param name="Names">All of its names, as they are documented.</param>
/// <param name="Valid">Command lines of <c>broker serve</c> that start it; FLAG is the name.</param>
/// <param name="Invalid">Command lines that do not.</param>
internal sealed record FlagCase(string[] Names, string[][] Valid, string[][] Invalid);
