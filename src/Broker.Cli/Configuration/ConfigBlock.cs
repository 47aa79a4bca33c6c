namespace Broker.Cli.Configuration;

/// <summary>
/// The keys of a block in braces, or of a whole file. As in nats-server, keys are case-insensitive, and a later
/// assignment replaces an earlier one.
/// </summary>
internal sealed record ConfigBlock(ConfigPosition Position) : ConfigValue(Position)
{
    private readonly Dictionary<string, ConfigEntry> _entries = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>Creates a block whose keys are case-sensitive, because they are subjects.</summary>
    public static ConfigBlock OfSubjects(ConfigPosition position) => new(position, StringComparer.Ordinal);

    private ConfigBlock(ConfigPosition position, StringComparer keys)
        : this(position)
        => _entries = new Dictionary<string, ConfigEntry>(keys);

    public bool IsEmpty => !Entries.Any();

    public IEnumerable<ConfigEntry> Entries => _entries.Values;

    public ConfigEntry? Find(string key) => _entries.GetValueOrDefault(key);

    /// <summary>Sets the key and returns the entry that was replaced, or null.</summary>
    public ConfigEntry? Set(ConfigEntry entry)
    {
        // Removing the key first moves it to the end, so that the entries are in the order of their last assignments.
        _entries.Remove(entry.Key, out ConfigEntry? replaced);
        _entries.Add(entry.Key, entry);
        return replaced;
    }

    public override string ToString() => "a block";
}
