namespace Broker.Cli.Configuration;

/// <summary>
/// The keys between two braces, or those of a whole file. Keys are compared without regard to case and a later
/// assignment replaces an earlier one, as in nats-server.
/// </summary>
internal sealed record ConfigBlock(ConfigPosition Position) : ConfigValue(Position)
{
    private readonly Dictionary<string, ConfigEntry> _entries = new(StringComparer.OrdinalIgnoreCase);

    public IEnumerable<ConfigEntry> Entries => _entries.Values;

    public ConfigEntry? Find(string key) => _entries.GetValueOrDefault(key);

    /// <summary>Sets the key and returns the entry that this one replaces.</summary>
    public ConfigEntry? Set(ConfigEntry entry)
    {
        // Removing first moves the key to its latest place, so that entries stay in the order of the file.
        _entries.Remove(entry.Key, out var replaced);
        _entries.Add(entry.Key, entry);
        return replaced;
    }

    public override string ToString() => "a block";
}
