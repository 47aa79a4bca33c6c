using System.Globalization;
using Broker.Cli.Configuration;

namespace Broker.Cli.Effective;

/// <summary>The keys of a configuration file, also those inside of blocks, each with its value and position.</summary>
internal sealed class FileSettings
{
    private static readonly string[] HiddenKeys = ["password", "pass", "token", "seed", "secret"];
    private static readonly string[] Addresses = ["url", "urls"];

    private readonly Dictionary<string, ConfigEntry> _entries = new(StringComparer.OrdinalIgnoreCase);
    private readonly List<ShownSetting> _leaves = [];

    /// <param name="root">The content of the file; null if there is no file.</param>
    /// <param name="file">The path of the file.</param>
    public FileSettings(ConfigBlock? root, string file)
    {
        Path = file;
        if (root is not null)
        {
            Add("", root, isInner: false);
        }
    }

    /// <summary>The path of the file.</summary>
    public string Path { get; }

    /// <summary>The keys with values that are not blocks, in the order of the file.</summary>
    public IEnumerable<ShownSetting> Leaves => _leaves;

    /// <summary>Returns a key, which may be a block, by its path.</summary>
    public ConfigEntry? Find(string path) => _entries.GetValueOrDefault(path);

    private void Add(string prefix, ConfigBlock block, bool isInner)
    {
        foreach (ConfigEntry entry in block.Entries)
        {
            string path = prefix + entry.Key;
            _entries[path] = entry;
            // A variable may be a password that a key below refers to.
            Add(path, entry, entry.Value, Hides(entry) || (isInner && entry.IsVariable));
        }
    }

    private void Add(string path, ConfigEntry entry, ConfigValue value, bool isSecret)
    {
        switch (value)
        {
            case ConfigBlock { IsEmpty: false } block:
                Add(path + ".", block, isInner: true);
                break;
            case ConfigArray { Items: var items } when items.Any(static item => item is ConfigBlock or ConfigArray):
                for (int i = 0; i < items.Count; i++)
                {
                    Add(string.Create(CultureInfo.InvariantCulture, $"{path}[{i}]"), entry with { Position = items[i].Position }, items[i], isSecret);
                }

                break;
            default:
                isSecret |= value is ConfigText { Value: ['S', 'U', ..] } && entry.Key.Equals("nkey", StringComparison.OrdinalIgnoreCase);
                bool isAddress = Addresses.Contains(entry.Key, StringComparer.OrdinalIgnoreCase);
                _leaves.Add(new ShownSetting(path, Shown(value, isAddress), SettingOrigin.OfEntry(entry, Path), isSecret));
                break;
        }
    }

    private static bool Hides(ConfigEntry entry) => HiddenKeys.Contains(entry.Key, StringComparer.OrdinalIgnoreCase);

    private static object? Shown(ConfigValue value, bool isAddress) => value switch
    {
        ConfigText text => isAddress ? WithoutUser(text.Value) : UserInfo.Hide(text.Value),
        ConfigInteger number => number.Value,
        ConfigFloat number => number.Value,
        ConfigBoolean flag => flag.Value,
        ConfigArray array => array.Items.Select(item => Shown(item, isAddress)).ToArray(),
        _ => "{ }",
    };

    // In a URL without a scheme, the part before the '@' may be a token.
    private static string WithoutUser(string url)
        => UserInfo.Hide(url) is var hidden && hidden == url && url.LastIndexOf('@') is >= 0 and var at ? "…" + url[at..] : hidden;
}
