namespace Broker.Cli.Configuration;

/// <summary>
/// Takes typed settings out of a block. What is wrong is added to the problems and the default answered instead, so
/// that one run names every mistake. The keys asked for are the known ones: <see cref="RejectTheRest"/> compares.
/// </summary>
internal sealed class ConfigSection(ConfigBlock block, List<ConfigProblem> problems)
{
    private readonly List<string> _known = [];

    public ConfigValue? Find(string key)
    {
        _known.Add(key);
        return block.Find(key)?.Value;
    }

    public bool Has(string key) => block.Find(key) is not null;

    public string? Text(string key, string? otherwise) =>
        Find(key) switch
        {
            null => otherwise,
            ConfigText text => text.Value,
            var value => Wrong(key, "a text (put it in quotes)", value, otherwise),
        };

    public bool Flag(string key, bool otherwise) =>
        Find(key) switch
        {
            null => otherwise,
            ConfigBoolean flag => flag.Value,
            var value => Wrong(key, "true or false", value, otherwise),
        };

    public long Whole(string key, long otherwise, long min, long max) =>
        Find(key) switch
        {
            null => otherwise,
            ConfigInteger number when number.Value >= min && number.Value <= max => number.Value,
            var value => Wrong(key, $"a whole number from {min} to {max}", value, otherwise),
        };

    public long Bytes(string key, long otherwise, long min, long max) =>
        Find(key) switch
        {
            null => otherwise,
            ConfigInteger number when number.Value >= min && number.Value <= max => number.Value,
            var value => Wrong(key, $"a size from {min} to {max} bytes, such as 64KB or 1MB without quotes", value, otherwise),
        };

    public TimeSpan Span(string key, TimeSpan otherwise)
    {
        var value = Find(key);
        if (value is null)
            return otherwise;
        return value is ConfigText text && Duration.TryParse(text.Value, out var span) && span > TimeSpan.Zero && span < TimeSpan.FromDays(24)
            ? span
            : Wrong(key, "a duration such as \"10s\" or \"2m\"", value, otherwise);
    }

    /// <summary>A text, or an array of them, each converted; <paramref name="shape"/> says what they must be.</summary>
    public IReadOnlyList<T> Many<T>(string key, IReadOnlyList<T> otherwise, string shape, Func<string, T?> convert)
        where T : class
    {
        var value = Find(key);
        if (value is null)
            return otherwise;
        var items = value is ConfigArray array ? array.Items : [value];
        var converted = new List<T>(items.Count);
        foreach (var item in items)
        {
            if (item is ConfigText text && convert(text.Value) is { } good)
                converted.Add(good);
            else
                Wrong(key, shape, item, otherwise);
        }

        return converted;
    }

    public T Wrong<T>(string key, string expected, ConfigValue found, T otherwise)
    {
        problems.Add(new ConfigProblem($"\"{key}\" must be {expected}, not {found}", found.Position));
        return otherwise;
    }

    public void RejectTheRest()
    {
        foreach (var entry in block.Entries)
        {
            if (!entry.IsVariable && !_known.Contains(entry.Key, StringComparer.OrdinalIgnoreCase))
                problems.Add(new ConfigProblem($"unknown key \"{entry.Key}\"", entry.Position, Spelling.Nearest(entry.Key, _known)));
        }
    }
}
