namespace Broker.Cli.Configuration;

/// <summary>
/// Takes typed settings out of a block. What is wrong is added to the problems and the default answered instead, so
/// that one run names every mistake. The keys asked for are the known ones: <see cref="RejectTheRest"/> compares.
/// </summary>
/// <param name="block">The block.</param>
/// <param name="problems">What is wrong is added here.</param>
/// <param name="isSecret">Whether values must not be shown, because a secret may stand among them.</param>
internal sealed class ConfigSection(ConfigBlock block, List<ConfigProblem> problems, bool isSecret = false)
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

    /// <summary>One of some words, in any case of letters.</summary>
    public T Choice<T>(string key, T otherwise, params (string Word, T Value)[] words)
    {
        if (Find(key) is not { } value)
        {
            return otherwise;
        }

        foreach ((string word, T meant) in words)
        {
            if (value is ConfigText { Value: var text } && text.Equals(word, StringComparison.OrdinalIgnoreCase))
            {
                return meant;
            }
        }

        return Wrong(key, "one of " + string.Join(", ", words.Select(w => w.Word)), value, otherwise);
    }

    /// <summary>What a block holds; null without one.</summary>
    public T? Inner<T>(string key, Func<ConfigSection, T> read)
        where T : class
    {
        switch (Find(key))
        {
            case null:
                return null;
            case ConfigBlock inner:
                var section = new ConfigSection(inner, problems);
                T made = read(section);
                section.RejectTheRest();
                return made;
            case var value:
                return Wrong<T?>(key, "a block", value, null);
        }
    }

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

    /// <summary>A time above 0.</summary>
    public TimeSpan Span(string key, TimeSpan otherwise) => Span(key, otherwise, "a duration such as \"10s\" or \"2m\"");

    /// <summary>A time of whole seconds, up to a day.</summary>
    public TimeSpan Seconds(string key, TimeSpan otherwise, int least)
    {
        string shape = $"a duration of whole seconds from \"{least}s\" to \"24h\"";
        TimeSpan span = Span(key, otherwise, shape);
        return span.Ticks % TimeSpan.TicksPerSecond == 0 && span >= TimeSpan.FromSeconds(least) && span <= TimeSpan.FromDays(1)
            ? span
            : Wrong(key, shape, Find(key)!, otherwise);
    }

    /// <summary>A time, or none: <c>0s</c>.</summary>
    public TimeSpan SpanOrNone(string key, TimeSpan otherwise)
        => Find(key) is ConfigText text && Duration.TryParse(text.Value, out TimeSpan none) && none == TimeSpan.Zero
            ? TimeSpan.Zero
            : Span(key, otherwise, "a duration such as \"10s\" or \"2m\", or \"0s\"");

    /// <summary>A time above 0, or <c>never</c>, which is <see cref="Timeout.InfiniteTimeSpan"/>.</summary>
    public TimeSpan SpanOrNever(string key, TimeSpan otherwise)
        => Find(key) is ConfigText { Value: var word } && word.Equals("never", StringComparison.OrdinalIgnoreCase) ? Timeout.InfiniteTimeSpan : Span(key, otherwise, "a duration such as \"10s\" or \"2m\", or never");

    /// <summary>A text, or an array of them, each converted; <paramref name="shape"/> says what they must be.</summary>
    public IReadOnlyList<T> Many<T>(string key, IReadOnlyList<T> otherwise, string shape, Func<string, T?> convert)
        where T : class
    {
        var value = Find(key);
        if (value is null)
        {
            return otherwise;
        }

        var items = value is ConfigArray array ? array.Items : [value];
        var converted = new List<T>(items.Count);
        foreach (var item in items)
        {
            if (item is ConfigText text && convert(text.Value) is { } good)
            {
                converted.Add(good);
            }
            else
            {
                Wrong(key, shape, item, otherwise);
            }
        }

        return converted;
    }

    /// <summary>Says of the block what it lacks.</summary>
    public void Lacks(string problem) => problems.Add(new ConfigProblem(problem, block.Position));

    public T Wrong<T>(string key, string expected, ConfigValue found, T otherwise) => Wrong(key, expected, found, otherwise, isSecret);

    /// <summary>Says what a key must be, and what it is unless that may be a secret.</summary>
    public T Wrong<T>(string key, string expected, ConfigValue found, T otherwise, bool isSecret)
    {
        string instead = isSecret ? "" : $", not {found}";
        problems.Add(new ConfigProblem($"\"{key}\" must be {expected}{instead}", found.Position));
        return otherwise;
    }

    /// <summary>The keys that nobody has asked for are problems.</summary>
    /// <param name="unsupported">Those of nats-server that the broker has no use for, each with the reason.</param>
    public void RejectTheRest(IReadOnlyDictionary<string, string>? unsupported = null)
    {
        foreach (ConfigEntry entry in block.Entries)
        {
            if (entry.IsVariable || _known.Contains(entry.Key, StringComparer.OrdinalIgnoreCase))
            {
                continue;
            }

            problems.Add(
                unsupported?.GetValueOrDefault(entry.Key) is { } why
                    ? new ConfigProblem($"\"{entry.Key}\" is not supported: {why}", entry.Position)
                    : Unknown(entry));
        }
    }

    private TimeSpan Span(string key, TimeSpan otherwise, string shape)
    {
        var value = Find(key);
        if (value is null)
        {
            return otherwise;
        }

        return value is ConfigText text && Duration.TryParse(text.Value, out var span) && span > TimeSpan.Zero && span < TimeSpan.FromDays(24)
            ? span
            : Wrong(key, shape, value, otherwise);
    }

    // What is far from every key may be a secret in the place of one.
    private ConfigProblem Unknown(ConfigEntry entry)
    {
        string? meant = Spelling.Nearest(entry.Key, _known);
        string what = isSecret && meant is null ? "unknown key" : $"unknown key \"{entry.Key}\"";
        return new ConfigProblem(what, entry.Position, meant, _known);
    }

    /// <summary>A key that says that something is off which is off in any case: <c>jetstream: disabled</c>. Otherwise it stays unknown.</summary>
    public void AllowOff(string key)
    {
        bool isOff = block.Find(key)?.Value switch
        {
            ConfigBoolean { Value: false } => true,
            ConfigText { Value: var word } => word.ToUpperInvariant() is "DISABLED" or "DISABLE" or "FALSE",
            ConfigBlock { Entries: var entries } => entries.Any(e =>
                e.Key.Equals("enabled", StringComparison.OrdinalIgnoreCase) && e.Value is ConfigBoolean { Value: false }),
            _ => false,
        };
        if (isOff)
        {
            _known.Add(key);
        }
    }

    /// <summary>The host of a listener.</summary>
    public string? Host(string key, string? otherwise) =>
        Find(key) switch
        {
            null => otherwise,
            ConfigText text when ListenAddress.ParseHost(text.Value) is { } host => host,
            var value => Wrong(key, ListenAddress.HostShape, value, otherwise),
        };

}
