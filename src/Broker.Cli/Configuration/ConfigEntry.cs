namespace Broker.Cli.Configuration;

/// <summary>A key with its value and position.</summary>
internal sealed record ConfigEntry(string Key, ConfigPosition Position, ConfigValue Value)
{
    /// <summary>Whether a <c>$key</c> refers to this entry. The key may then be a variable and not a setting.</summary>
    public bool IsVariable { get; set; }
}
