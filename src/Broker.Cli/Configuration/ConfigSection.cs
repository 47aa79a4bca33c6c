using Broker.Hosting;

namespace Broker.Cli.Configuration;

/// <summary>
/// Reads typed settings from a block. An invalid value adds a problem and returns the default, so that one run reports
/// all errors. Each key that is read becomes a known key, and <see cref="RejectTheRest"/> reports all others.
/// </summary>
/// <param name="block">The block.</param>
/// <param name="problems">Receives the errors.</param>
/// <param name="isSecret">Whether values must not be shown, because they may be secrets.</param>
internal sealed class ConfigSection(ConfigBlock block, List<ConfigProblem> problems, bool isSecret = false)
{
    private readonly List<string> _known = [];

    public ConfigValue? Find(string key)
    {
        _known.Add(key);
        return block.Find(key)?.Value;
    }

    public bool Has(string key) => block.Find(key) is not null;

    public string? Text(string key, string? otherwise)
        => Find(key) switch
        {
            null => otherwise,
            ConfigText text => text.Value,
            var value => Wrong(key, "a text (put it in quotes)", value, otherwise),
        };

    /// <summary>
    /// Reads the path of a file or folder. As in nats-server, an empty text means that there is no path.
    /// </summary>
    public string? FilePath(string key, string? otherwise)
        => Text(key, otherwise) switch
        {
            { Length: > 0 } path when path.Contains('\0', StringComparison.Ordinal) && Find(key) is { } value
                => Wrong(key, "a path without zero characters", value, otherwise),
            { Length: > 0 } path => path,
            _ => Has(key) ? null : otherwise,
        };

    public bool Flag(string key, bool otherwise)
        => Find(key) switch
        {
            null => otherwise,
            ConfigBoolean flag => flag.Value,
            var value => Wrong(key, "true or false", value, otherwise),
        };

    /// <summary>Reads one of the given words, case-insensitive.</summary>
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

    /// <summary>Reads an inner block, or returns null if the key is missing.</summary>
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

    public long Whole(string key, long otherwise, long min, long max)
        => Find(key) switch
        {
            null => otherwise,
            ConfigInteger number when number.Value >= min && number.Value <= max => number.Value,
            var value => Wrong(key, $"a whole number from {min} to {max}", value, otherwise),
        };

    public long Bytes(string key, long otherwise, long min, long max)
        => Find(key) switch
        {
            null => otherwise,
            ConfigInteger number when number.Value >= min && number.Value <= max => number.Value,
            var value => Wrong(key, $"a size from {min} to {max} bytes, such as 64KB or 1MB without quotes", value, otherwise),
        };

    /// <summary>Reads a whole number. As in nats-server, 0 means the default.</summary>
    public long WholeOrDefault(string key, long otherwise, long min, long max)
        => IsZero(key) ? otherwise : Whole(key, otherwise, min, max);

    /// <summary>Reads a size in bytes. As in nats-server, 0 means the default.</summary>
    public long BytesOrDefault(string key, long otherwise, long min, long max)
        => IsZero(key) ? otherwise : Bytes(key, otherwise, min, max);

    /// <summary>Reads a duration. As in nats-server, <c>0s</c> means the default.</summary>
    public TimeSpan SpanOrDefault(string key, TimeSpan otherwise) => IsZero(key) ? otherwise : Span(key, otherwise);

    /// <summary>Reads a duration above 0.</summary>
    public TimeSpan Span(string key, TimeSpan otherwise) => Span(key, otherwise, "a duration such as \"10s\" or \"2m\"");

    /// <summary>Reads a duration of whole seconds, up to a day.</summary>
    public TimeSpan Seconds(string key, TimeSpan otherwise, int least)
    {
        string shape = $"a duration of whole seconds from \"{least}s\" to \"24h\"";
        TimeSpan span = Span(key, otherwise, shape);
        return span.Ticks % TimeSpan.TicksPerSecond == 0 && span >= TimeSpan.FromSeconds(least) && span <= TimeSpan.FromDays(1)
            ? span
            : Wrong(key, shape, Find(key)!, otherwise);
    }

    /// <summary>Reads a duration, which may be <c>0s</c>.</summary>
    public TimeSpan SpanOrNone(string key, TimeSpan otherwise)
        => Find(key) is ConfigText text && Duration.TryParse(text.Value, out TimeSpan none) && none == TimeSpan.Zero
            ? TimeSpan.Zero
            : Span(key, otherwise, "a duration such as \"10s\" or \"2m\", or \"0s\"");

    /// <summary>Reads a duration above 0, or <c>never</c> as <see cref="Timeout.InfiniteTimeSpan"/>.</summary>
    public TimeSpan SpanOrNever(string key, TimeSpan otherwise)
        => Find(key) is ConfigText { Value: var word } && word.Equals("never", StringComparison.OrdinalIgnoreCase)
            ? Timeout.InfiniteTimeSpan
            : Span(key, otherwise, "a duration such as \"10s\" or \"2m\", or never");

    /// <summary>
    /// Reads a text or an array of texts and converts each. <paramref name="shape"/> describes valid texts for error
    /// messages.
    /// </summary>
    public IReadOnlyList<T> Many<T>(string key, IReadOnlyList<T> otherwise, string shape, Func<string, T?> convert)
        where T : class
    {
        ConfigValue? value = Find(key);
        if (value is null)
        {
            return otherwise;
        }

        IReadOnlyList<ConfigValue> items = value is ConfigArray array ? array.Items : [value];
        var converted = new List<T>(items.Count);
        foreach (ConfigValue item in items)
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

    /// <summary>Adds an error at the position of the block, for a missing key.</summary>
    public void Lacks(string problem) => problems.Add(new ConfigProblem(problem, block.Position));

    public T Wrong<T>(string key, string expected, ConfigValue found, T otherwise)
        => Wrong(key, expected, found, otherwise, isSecret);

    /// <summary>
    /// Adds an error with the expected value of a key, and with the actual value unless it may be a secret. Returns
    /// <paramref name="otherwise"/>.
    /// </summary>
    public T Wrong<T>(string key, string expected, ConfigValue found, T otherwise, bool isSecret)
    {
        string instead = isSecret ? ""
            : found.Variable is { } variable ? $", and the value of ${variable} is not"
            : $", not {found}";
        problems.Add(new ConfigProblem($"\"{key}\" must be {expected}{instead}", found.Position));
        return otherwise;
    }

    /// <summary>Adds an error for each key that was not read.</summary>
    /// <param name="unsupported">Keys of nats-server that the broker does not support, each with the reason.</param>
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
                    ? Unsupported(entry.Key, why, entry.Position)
                    : Unknown(entry));
        }
    }

    /// <summary>Returns the error of a key of nats-server that the broker does not support.</summary>
    public static ConfigProblem Unsupported(string key, string why, ConfigPosition position)
        => new($"\"{key}\" is not supported: {why}", position) { CanBeIgnored = UnsupportedKeys.CanBeIgnored(why) };

    private TimeSpan Span(string key, TimeSpan otherwise, string shape)
    {
        ConfigValue? value = Find(key);
        if (value is null)
        {
            return otherwise;
        }

        return value is ConfigText text
            && Duration.TryParse(text.Value, out TimeSpan span)
            && span > TimeSpan.Zero
            && span < TimeSpan.FromDays(24)
            ? span
            : Wrong(key, shape, value, otherwise);
    }

    private bool IsZero(string key) => Find(key) switch
    {
        ConfigInteger { Value: 0 } => true,
        ConfigText text => Duration.TryParse(text.Value, out TimeSpan span) && span == TimeSpan.Zero,
        _ => false,
    };

    // A key that is not similar to a known key may be a misplaced secret, so it is not shown in a secret section.
    private ConfigProblem Unknown(ConfigEntry entry)
    {
        string? meant = Spelling.Nearest(entry.Key, _known);
        string what = isSecret && meant is null ? "unknown key" : $"unknown key \"{entry.Key}\"";
        return new ConfigProblem(what, entry.Position, meant, _known);
    }

    /// <summary>
    /// Accepts a key of an unsupported feature if its value turns the feature off, such as <c>jetstream: disabled</c>.
    /// Another value leaves the key unknown.
    /// </summary>
    /// <param name="key">The key.</param>
    /// <param name="isOffIfEmpty">Whether an empty block turns the feature off.</param>
    public void AllowOff(string key, bool isOffIfEmpty)
    {
        bool isOff = block.Find(key)?.Value switch
        {
            ConfigBoolean { Value: false } => true,
            ConfigText { Value: var word } => word.ToUpperInvariant() is "DISABLED" or "DISABLE" or "FALSE",
            ConfigBlock { IsEmpty: true } => isOffIfEmpty,
            ConfigBlock { Entries: var entries } => entries.Any(e =>
                e.Key.Equals("enabled", StringComparison.OrdinalIgnoreCase) && e.Value is ConfigBoolean { Value: false }),
            _ => false,
        };
        if (isOff)
        {
            _known.Add(key);
        }
    }

    /// <summary>Reads the host of a listener.</summary>
    public string? Host(string key, string? otherwise)
        => Find(key) switch
        {
            null => otherwise,
            ConfigText text when ListenAddress.ParseHost(text.Value) is { } host => host,
            var value => Wrong(key, ListenAddress.HostShape, value, otherwise),
        };
}
