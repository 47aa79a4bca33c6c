namespace Broker.Cli.Configuration;

/// <summary>One key with its value.</summary>
internal sealed record ConfigEntry(string Key, ConfigPosition Position, ConfigValue Value)
{
    /// <summary>Whether a <c>$key</c> used it: a name of the user's own, which need not be a setting.</summary>
    public bool IsVariable { get; set; }
}
