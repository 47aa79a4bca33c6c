namespace Broker.Cli.Tests.Documentation;

/// <summary>Valid and invalid command lines of a flag.</summary>
/// <param name="Names">All documented names of the flag.</param>
/// <param name="Valid">Command lines with which <c>broker serve</c> starts; FLAG is replaced by the name.</param>
/// <param name="Invalid">Command lines with which <c>broker serve</c> does not start.</param>
internal sealed record FlagCase(string[] Names, string[][] Valid, string[][] Invalid);
