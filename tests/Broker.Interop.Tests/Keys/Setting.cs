namespace Broker.Interop.Tests.Keys;

/// <summary>One key of nats-server's configuration file with a value.</summary>
/// <param name="Section">The heading of the key in the table.</param>
/// <param name="Text">The key with the value, as in the file.</param>
/// <param name="File">The whole file.</param>
internal sealed record KeyOfFile(string Section, string Text, string File)
{
    /// <summary>The name of the key in the file of recorded answers.</summary>
    public string Name => $"{Section} | {Text}";
}
