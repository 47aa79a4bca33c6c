using System.CommandLine;
using Broker.Cli.Configuration;

namespace Broker.Cli.Effective;

/// <summary>A setting whose value is read from the settings in effect and not from the file.</summary>
/// <param name="Key">The key, with the keys of the blocks around it.</param>
/// <param name="Value">Returns the value. <see cref="Absent"/> means that the setting does not exist.</param>
internal sealed record KnownSetting(string Key, Func<ServeSettings, object?> Value)
{
    /// <summary>The value of a setting that does not exist, for example because its feature is off.</summary>
    public static object Absent { get; } = new();

    /// <summary>The names of the key in the file. An earlier name counts before a later one.</summary>
    public IReadOnlyList<string> FileKeys { get; init; } = [Key];

    /// <summary>The flags that set the value. They count before the file.</summary>
    public IReadOnlyList<Option> Flags { get; init; } = [];

    /// <summary>Whether the value is not shown.</summary>
    public bool IsSecret { get; init; }

    /// <summary>Returns whether a value in the file sets this setting, and not only another one.</summary>
    public Func<ConfigValue, bool> Counts { get; init; } = static _ => true;
}
