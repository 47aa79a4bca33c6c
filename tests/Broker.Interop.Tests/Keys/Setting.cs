namespace Broker.Interop.Tests.Keys;

/// <summary>A flag of nats-server, or a key of its configuration file with a value.</summary>
/// <param name="Section">The heading of the setting in the table.</param>
/// <param name="Text">The flag, or the key with the value, as it is typed.</param>
/// <param name="File">The whole configuration file.</param>
/// <param name="Flags">The arguments besides <c>-t</c> and <c>-c</c>. None for a key.</param>
internal sealed record Setting(string Section, string Text, string File, params string[] Flags)
{
    /// <summary>
    /// Whether the flag has an effect of its own and the program then ends, so that <c>-t</c> cannot check it.
    /// </summary>
    public bool IsCommand { get; init; }

    /// <summary>The name of the setting in the file of recorded answers.</summary>
    public string Name => $"{Section} | {Text}";
}
