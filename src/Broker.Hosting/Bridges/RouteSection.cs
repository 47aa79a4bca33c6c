using System.Globalization;
using System.Net;
using Broker.Bridge;
using Microsoft.Extensions.Configuration;

namespace Broker.Hosting;

/// <summary>
/// Reads the section of a route or a section inside it. Wrong values are added to the problems with their key.
/// </summary>
internal sealed class RouteSection(IConfigurationSection section, List<string> problems) : IRouteConfiguration
{
    private const string EndpointShape = "an endpoint such as \"bind tcp://127.0.0.1:5556\" or \"connect tcp://host:5556\"";
    private const string NetworkShape = "an address or a network such as \"10.0.0.0/8\"";

    private readonly HashSet<string> _known = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>The keys that were read. They are the valid keys of the section.</summary>
    public IReadOnlySet<string> Known => _known;

    /// <summary>Reads a text; null if the key is missing.</summary>
    public string? ReadText(string key)
    {
        _known.Add(key);
        return section[key];
    }

    public string ReadRequiredText(string key)
    {
        if (ReadText(key) is { } text)
        {
            return text;
        }

        Problem(key, "it must be said");
        return "";
    }

    public long ReadInteger(string key, long otherwise, long least, long most) =>
        Read(key, otherwise, $"a whole number from {least} to {most}", text =>
            long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out long number) && number >= least && number <= most ? number : null);

    public long ReadByteCount(string key, long otherwise, long least, long most) => ReadInteger(key, otherwise, least, most);

    public bool ReadBoolean(string key, bool otherwise) => Read(key, otherwise, "true or false", static text => bool.TryParse(text, out bool flag) ? flag : null);

    public TimeSpan ReadTimeSpan(string key, TimeSpan otherwise) => Read(
        key, otherwise, "a time such as \"00:00:30\"", static text =>
            TimeSpan.TryParse(text, CultureInfo.InvariantCulture, out TimeSpan span) && span > TimeSpan.Zero ? span : null);

    public TimeSpan ReadSeconds(string key, TimeSpan otherwise, int least) => Read(
        key, otherwise, $"a time of whole seconds from \"{TimeSpan.FromSeconds(least)}\" to \"1.00:00:00\"", text =>
            TimeSpan.TryParse(text, CultureInfo.InvariantCulture, out TimeSpan span) && span.Ticks % TimeSpan.TicksPerSecond == 0
            && span >= TimeSpan.FromSeconds(least) && span <= TimeSpan.FromDays(1) ? span : null);

    public TimeSpan ReadTimeSpanOrZero(string key, TimeSpan otherwise) => Read(
        key, otherwise, "a time such as \"00:00:30\"", static text =>
            TimeSpan.TryParse(text, CultureInfo.InvariantCulture, out TimeSpan span) && span >= TimeSpan.Zero ? span : null);

    public TimeSpan ReadTimeSpanOrNever(string key, TimeSpan otherwise) => Read(
        key, otherwise, "a time such as \"00:00:30\", or never", static text =>
            text.Equals("never", StringComparison.OrdinalIgnoreCase) ? Timeout.InfiniteTimeSpan
            : TimeSpan.TryParse(text, CultureInfo.InvariantCulture, out TimeSpan span) && span > TimeSpan.Zero ? span : null);

    public byte ReadCharacter(string key, byte otherwise) =>
        Read(key, otherwise, "one ASCII character", static text => text is [var c] && char.IsAscii(c) ? (byte)c : null);

    public byte? ReadCharacterOrNone(string key, byte? otherwise)
        => string.Equals(ReadText(key), "none", StringComparison.OrdinalIgnoreCase) ? null
            : ReadText(key) is null ? otherwise
            : Read<byte>(key, 0, "one ASCII character, or none", static text => text is [var c] && char.IsAscii(c) ? (byte)c : null);

    public T ReadChoice<T>(string key, T otherwise)
        where T : struct, Enum
        => Read(
            key, otherwise, "one of " + string.Join(", ", Enum.GetNames<T>()), static text =>
                Enum.TryParse(text, ignoreCase: true, out T choice) && Enum.GetNames<T>().Contains(text, StringComparer.OrdinalIgnoreCase) ? choice : null);

    // The options check the value and report what is wrong.
    public string ReadSubjectPrefix(string key, string otherwise) => ReadText(key) ?? otherwise;

    public IReadOnlyList<string>? ReadTexts(string key, string one) => Texts(key) is { Count: > 0 } texts ? texts : null;

    public void RequireOneOf(string key, string other)
    {
        if ((ReadText(key) is null) == (ReadText(other) is null))
        {
            Problem(key, $"set either it or {other}, and not both");
        }
    }

    public void ReportMissing(string key, string other)
    {
        if (ReadText(key) is { } text)
        {
            Problem($"{section.Path}:{key}", text, $"of use without {other}");
        }
    }

    /// <summary>
    /// Reads one endpoint, or an array whose elements are endpoints or sections with <c>Endpoint</c> and <c>Allow</c>.
    /// </summary>
    public IReadOnlyList<BridgeEndpoint> ReadEndpoints(string key)
    {
        _known.Add(key);
        IConfigurationSection at = section.GetSection(key);
        IConfigurationSection[] items = at.Value is not null ? [at] : [.. at.GetChildren()];
        var read = new List<BridgeEndpoint>();
        foreach (IConfigurationSection item in items)
        {
            if (item.Value is { } text)
            {
                Add(text, [], item.Path);
                continue;
            }

            var inner = new RouteSection(item, problems);
            Add(inner.ReadText("Endpoint") ?? "", [.. inner.Texts("Allow").Select(network => Network(network, item.Path)).OfType<IPNetwork>()], item.Path);
            inner.RejectTheRest("an endpoint");
        }

        return read;

        void Add(string text, IReadOnlyList<IPNetwork> allowed, string path)
        {
            string[] words = text.Split((char[])[' ', '\t'], StringSplitOptions.RemoveEmptyEntries);
            bool binds = words.Length == 1 || string.Equals(words.FirstOrDefault(), "bind", StringComparison.OrdinalIgnoreCase);
            if (words.Length is 1 or 2 && (binds || words[0].Equals("connect", StringComparison.OrdinalIgnoreCase)))
            {
                read.Add(new BridgeEndpoint(binds, words[^1]) { AllowedAddresses = allowed });
            }
            else
            {
                Problem(path, text, EndpointShape);
            }
        }
    }

    /// <summary>Reads a section inside this section; null if it is missing.</summary>
    public T? ReadSection<T>(string key, Func<IRouteConfiguration, T> read)
        where T : class
    {
        _known.Add(key);
        IConfigurationSection at = section.GetSection(key);
        if (!at.Exists())
        {
            return null;
        }

        var inner = new RouteSection(at, problems);
        T result = read(inner);
        inner.RejectTheRest(key);
        return result;
    }

    /// <summary>Adds a problem for each unknown key.</summary>
    /// <param name="whose">The name of the setting that has no such key, for the message.</param>
    public void RejectTheRest(string whose)
    {
        foreach (IConfigurationSection child in section.GetChildren().Where(child => !_known.Contains(child.Key)))
        {
            problems.Add($"{child.Path}: {whose} has no such key; it has {string.Join(", ", _known.Order(StringComparer.Ordinal))}.");
        }
    }

    /// <summary>Adds a problem with the key. The value is left out because it may be secret.</summary>
    public void Problem(string key, string what)
    {
        _known.Add(key);
        problems.Add($"{section.Path}:{key}: {what}.");
    }

    private IReadOnlyList<string> Texts(string key)
    {
        _known.Add(key);
        IConfigurationSection at = section.GetSection(key);
        return at.Value is { } one ? [one] : [.. at.GetChildren().Select(item => item.Value ?? "")];
    }

    private IPNetwork? Network(string text, string path)
    {
        if (IPNetwork.TryParse(text, out IPNetwork network))
        {
            return network;
        }

        if (IPAddress.TryParse(text, out IPAddress? address))
        {
            return new IPNetwork(address, address.GetAddressBytes().Length * 8);
        }

        Problem($"{path}:Allow", text, NetworkShape);
        return null;
    }

    private T Read<T>(string key, T otherwise, string shape, Func<string, T?> parse)
        where T : struct
    {
        if (ReadText(key) is not { } text)
        {
            return otherwise;
        }

        if (parse(text) is { } value)
        {
            return value;
        }

        Problem($"{section.Path}:{key}", text, shape);
        return otherwise;
    }

    private void Problem(string path, string text, string shape) => problems.Add($"{path}: \"{text}\" is not {shape}.");
}
