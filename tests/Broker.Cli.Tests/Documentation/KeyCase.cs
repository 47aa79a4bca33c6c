namespace Broker.Cli.Tests.Documentation;

/// <summary>Valid and invalid values of a key, as contents of the block that the key's section documents.</summary>
/// <param name="Section">The heading under which the key is documented.</param>
/// <param name="Key">The key.</param>
/// <param name="Valid">
/// Texts with which the broker starts. A text that begins with ^ is a whole file, not the contents of a block.
/// </param>
/// <param name="Invalid">Texts that are refused with an error that has a position.</param>
internal sealed record KeyCase(string Section, string Key, string[] Valid, string[] Invalid)
{
    public override string ToString() => $"{Section}: {Key}";
}
