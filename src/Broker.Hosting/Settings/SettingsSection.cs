using System.Globalization;
using Microsoft.Extensions.Configuration;

namespace Broker.Hosting;

/// <summary>
/// Reads typed settings from a configuration section. A value that cannot be read adds a problem with the value's path,
/// so that one start reports all errors. Each key that is read becomes a known key. <see cref="RejectTheRest"/> reports
/// the unknown keys.
/// </summary>
/// <remarks>
/// The configuration binder skips a value of the wrong shape, such as a text in place of a list. If it skipped a user
/// or a permission, everybody would have access. So this class skips nothing: a single value in place of a list is a
/// list of one element, and every other wrong shape is a problem.
/// </remarks>
/// <param name="section">The section to read.</param>
/// <param name="problems">Receives each problem as a text that begins with the path of the key.</param>
internal class SettingsSection(IConfigurationSection section, List<string> problems)
{
    private const string DurationShape = "a duration such as \"30s\", \"2m\" or \"00:00:30\"";

    private readonly HashSet<string> _known = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>The keys that were read. They are the valid keys of the section.</summary>
    public IReadOnlySet<string> Known => _known;

    /// <summary>The path of the section.</summary>
    protected string Path => section.Path;

    /// <summary>The list that receives the problems.</summary>
    protected List<string> Problems => problems;

    /// <summary>Reads a text; null if the key is missing.</summary>
    public string? ReadText(string key)
    {
        IConfigurationSection at = At(key);
        if (at.Value is null && at.GetChildren().Any())
        {
            problems.Add($"{at.Path}: a single value is wanted, and this is a section or a list.");
        }

        return at.Value;
    }

    /// <summary>Reads a list of texts. A single text is a list of one element.</summary>
    public IReadOnlyList<string> ReadTexts(string key)
    {
        IConfigurationSection at = At(key);
        if (at.Value is { } one)
        {
            // The JSON provider writes an empty array as an empty text.
            return one.Length == 0 ? [] : [one];
        }

        var read = new List<string>();
        foreach (IConfigurationSection item in Items(at, "a list of texts"))
        {
            if (item.Value is { } text)
            {
                read.Add(text);
            }
            else
            {
                problems.Add($"{item.Path}: a text is wanted, and this is a section or a list.");
            }
        }

        return read;
    }

    /// <summary>
    /// Reads a list of allowed texts, which must not be empty, because an empty list would allow everything. If the key
    /// is missing, the result is empty.
    /// </summary>
    public IReadOnlyList<string> ReadAllowed(string key)
    {
        IReadOnlyList<string> read = ReadTexts(key);
        RejectEmptyList(key, read.Count);
        return read;
    }

    /// <summary>Whether the key has a text or a list of texts, and not a section.</summary>
    public bool IsTextOrList(string key)
    {
        IConfigurationSection at = At(key);
        return at.Value is not null
            || (at.GetChildren().Any() && at.GetChildren().All(item => item.Key.All(char.IsAsciiDigit)));
    }

    /// <summary>Reads a whole number; null if the key is missing.</summary>
    public int? ReadInteger(string key) => Read<int>(key, "a whole number", static text =>
        int.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out int number) ? number : null);

    /// <summary>Reads a size in bytes; null if the key is missing.</summary>
    /// <param name="key">The key.</param>
    /// <param name="most">The largest size that the setting can have.</param>
    public long? ReadSize(string key, long most) => Read<long>(
        key,
        string.Create(CultureInfo.InvariantCulture, $"a size up to {most} bytes, such as 65536, \"64KB\" or \"1MB\""),
        text => ByteSize.TryParse(text, out long size) && size <= most ? size : null);

    /// <summary>Reads true or false; null if the key is missing.</summary>
    public bool? ReadFlag(string key)
        => Read<bool>(key, "true or false", static text => bool.TryParse(text, out bool flag) ? flag : null);

    /// <summary>
    /// Reads a duration in the notation of nats-server's configuration file or of <see cref="TimeSpan"/>; null if the
    /// key is missing.
    /// </summary>
    public TimeSpan? ReadDuration(string key) => Read<TimeSpan>(key, DurationShape, ParseDuration);

    /// <summary>
    /// Reads a duration. The text <c>never</c> means <see cref="Timeout.InfiniteTimeSpan"/>. Null if the key is
    /// missing.
    /// </summary>
    public TimeSpan? ReadDurationOrNever(string key) => Read(key, $"{DurationShape}, or never", static text =>
        text.Equals("never", StringComparison.OrdinalIgnoreCase) ? Timeout.InfiniteTimeSpan : ParseDuration(text));

    /// <summary>Reads the name of a member of an enumeration; null if the key is missing.</summary>
    public T? ReadName<T>(string key)
        where T : struct, Enum
        => Read<T>(key, "one of " + string.Join(", ", Enum.GetNames<T>()), static text =>
            Enum.GetNames<T>().Contains(text, StringComparer.OrdinalIgnoreCase) ? Enum.Parse<T>(text, ignoreCase: true) : null);

    /// <summary>Reads a list of names of an enumeration. A single name is a list of one element.</summary>
    public IReadOnlyList<T> ReadNames<T>(string key)
        where T : struct, Enum
    {
        var read = new List<T>();
        foreach (string text in ReadTexts(key))
        {
            if (Enum.GetNames<T>().Contains(text, StringComparer.OrdinalIgnoreCase))
            {
                read.Add(Enum.Parse<T>(text, ignoreCase: true));
            }
            else
            {
                problems.Add($"{At(key).Path}: \"{text}\" is not one of {string.Join(", ", Enum.GetNames<T>())}.");
            }
        }

        return read;
    }

    /// <summary>Reads a section inside this section; null if it is missing or a single value.</summary>
    public T? ReadInner<T>(string key, Func<SettingsSection, T> read)
        where T : class
    {
        IConfigurationSection at = At(key);
        if (!string.IsNullOrEmpty(at.Value))
        {
            problems.Add($"{at.Path}: a section is wanted, and this is a single value.");
            return null;
        }

        return at.Exists() ? ReadItem(at, key, read) : null;
    }

    /// <summary>
    /// Reads a list of sections. The list must not be empty, because an empty list would restrict nobody.
    /// </summary>
    public IReadOnlyList<T> ReadInnerList<T>(string key, Func<SettingsSection, T> read)
    {
        IConfigurationSection at = At(key);
        if (!string.IsNullOrEmpty(at.Value))
        {
            problems.Add($"{at.Path}: a list of sections is wanted, and this is a single value.");
            return [];
        }

        var all = new List<T>();
        foreach (IConfigurationSection item in Items(at, "a list of sections"))
        {
            if (string.IsNullOrEmpty(item.Value))
            {
                all.Add(ReadItem(item, key, read));
            }
            else
            {
                problems.Add($"{item.Path}: a section is wanted, and this is a single value.");
            }
        }

        RejectEmptyList(key, all.Count);
        return all;
    }

    /// <summary>Adds a problem for each unknown key.</summary>
    /// <param name="whose">What has no such key, for the message: for example "a server".</param>
    public void RejectTheRest(string whose)
    {
        foreach (IConfigurationSection child in section.GetChildren().Where(child => !_known.Contains(child.Key)))
        {
            string? nearest = Spelling.Nearest(child.Key, _known);
            problems.Add(nearest is null
                ? $"{child.Path}: {whose} has no such key; it has {string.Join(", ", _known.Order(StringComparer.Ordinal))}."
                : $"{child.Path}: {whose} has no such key; did you mean {nearest}?");
        }
    }

    /// <summary>Adds a problem for a key. The text does not contain the value, which may be secret.</summary>
    public void Problem(string key, string what)
    {
        _known.Add(key);
        problems.Add($"{section.Path}:{key}: {what}.");
    }

    /// <summary>Returns the section of a key and makes the key known.</summary>
    protected IConfigurationSection At(string key)
    {
        _known.Add(key);
        return section.GetSection(key);
    }

    /// <summary>
    /// Reads a value. Null if the key is missing or the value is wrong; a wrong value adds a problem.
    /// </summary>
    protected T? Read<T>(string key, string shape, Func<string, T?> parse)
        where T : struct
    {
        if (ReadText(key) is not { } text)
        {
            return null;
        }

        T? value = parse(text);
        if (value is null)
        {
            Problem($"{section.Path}:{key}", text, shape);
        }

        return value;
    }

    /// <summary>Adds a problem for a value that is not secret. The text contains the value.</summary>
    protected void Problem(string path, string text, string shape) => problems.Add($"{path}: \"{text}\" is not {shape}.");

    // A TimeSpan needs a colon here: TimeSpan.TryParse would read a number without a unit as a number of days.
    private protected static TimeSpan? ParseDuration(string text)
        => Duration.TryParse(text, out TimeSpan duration) ? duration
        : text.Contains(':', StringComparison.Ordinal)
            && TimeSpan.TryParse(text, CultureInfo.InvariantCulture, out TimeSpan span) ? span
        : null;

    // Configuration providers name the elements of a list by their index.
    private IConfigurationSection[] Items(IConfigurationSection at, string shape)
    {
        IConfigurationSection[] items = [.. at.GetChildren()];
        if (items.FirstOrDefault(static item => !item.Key.All(char.IsAsciiDigit)) is not { } other)
        {
            return items;
        }

        problems.Add($"{at.Path}: {shape} is wanted, and this has the key {other.Key}.");
        return [];
    }

    // The JSON provider writes an empty array as an empty text. If another source has emptied a list, the list has no
    // empty text but elements that are null.
    private void RejectEmptyList(string key, int count)
    {
        IConfigurationSection at = At(key);
        if (count == 0 && at.Value is { Length: 0 })
        {
            problems.Add($"{at.Path}: the list is empty; leave the key out if nothing is meant to be restricted.");
        }
    }

    private T ReadItem<T>(IConfigurationSection at, string key, Func<SettingsSection, T> read)
    {
        var inner = new SettingsSection(at, problems);
        T result = read(inner);
        inner.RejectTheRest(key);
        return result;
    }
}
