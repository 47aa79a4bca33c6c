namespace Broker.Cli.Tests.Documentation;

/// <summary>What a key may hold and what it may not, as the inside of the block that its section documents.</summary>
/// <param name="Section">The heading under which the key is documented.</param>
/// <param name="Key">The key.</param>
/// <param name="Valid">Texts with which the broker starts. One that begins with ^ is a file, not the inside of a block.</param>
/// <param name="Invalid">Texts that are refused, with the place.</param>
internal sealed record KeyCase(string Section, string Key, string[] Valid, string[] Invalid)
{
    public override string ToString() => $"{Section}: {Key}";
}
