using System.Globalization;
using Broker.Cli.Configuration;

namespace Broker.Cli.Effective;

/// <summary>The origin of a setting's value.</summary>
/// <param name="Kind">The kind of source.</param>
/// <param name="Position">The position in a file; null for defaults and flags.</param>
/// <param name="Name">The name of the environment variable or of the flag; null for other sources.</param>
internal sealed record SettingOrigin(OriginKind Kind, ConfigPosition? Position = null, string? Name = null)
{
    public static SettingOrigin Default { get; } = new(OriginKind.Default);

    public static SettingOrigin OfFlag(string name) => new(OriginKind.Flag, null, name);

    /// <summary>Returns the source of a key.</summary>
    /// <param name="entry">The key and its value.</param>
    /// <param name="file">The path of the main file. The key may be in a file that it includes.</param>
    public static SettingOrigin OfEntry(ConfigEntry entry, string file)
        => entry.Value.Variable is { } variable ? new(OriginKind.Environment, entry.Position, variable)
            : new(entry.Position.File == file ? OriginKind.File : OriginKind.Include, entry.Position);

    public override string ToString() => Kind switch
    {
        OriginKind.Default => "default",
        OriginKind.Flag => Name!,
        OriginKind.Environment => $"{Place}, ${Name}",
        OriginKind.Include => $"{Place}, included",
        _ => Place,
    };

    private string Place => Position is { } at ? string.Create(CultureInfo.InvariantCulture, $"{at.File}:{at.Line}") : "";
}
