using System.Globalization;
using System.Net;
using Broker.Bridge;
using Microsoft.Extensions.Configuration;

namespace Broker.Hosting;

/// <summary>
/// Reads the section of a route, or a section inside it. A wrong value adds a text with its key to the problems.
/// </summary>
internal sealed class RouteSection(IConfigurationSection section, List<string> problems)
    : SettingsSection(section, problems), IRouteConfiguration
{
    private const string EndpointShape = "an endpoint such as \"bind tcp://127.0.0.1:5556\" or \"connect tcp://host:5556\"";
    private const string NetworkShape = "an address or a network such as \"10.0.0.0/8\", with all parts of the address and without leading zeros";

    public string ReadRequiredText(string key)
    {
        if (ReadText(key) is { } text)
        {
            return text;
        }

        Problem(key, "it is required");
        return "";
    }

    public long ReadInteger(string key, long otherwise, long least, long most)
        => Read(key, otherwise, $"a whole number from {least} to {most}", text =>
            long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out long number) && number >= least && number <= most ? number : null);

    public long ReadByteCount(string key, long otherwise, long least, long most)
        => Read(key, otherwise, $"a size from {least} to {most} bytes, such as 65536 or \"64KB\"", text =>
            ByteSize.TryParse(text, out long size) && size >= least && size <= most ? size : null);

    public bool ReadBoolean(string key, bool otherwise) => Read(key, otherwise, "true or false", static text => bool.TryParse(text, out bool flag) ? flag : null);

    public TimeSpan ReadTimeSpan(string key, TimeSpan otherwise) => Read(
        key, otherwise, "a duration such as \"30s\" or \"00:00:30\"", static text =>
            ParseDuration(text) is { } span && span > TimeSpan.Zero ? span : null);

    public TimeSpan ReadSeconds(string key, TimeSpan otherwise, int least) => Read(
        key, otherwise, $"a duration of whole seconds from \"{least}s\" to \"24h\"", text =>
            ParseDuration(text) is { } span && span.Ticks % TimeSpan.TicksPerSecond == 0
            && span >= TimeSpan.FromSeconds(least) && span <= TimeSpan.FromDays(1) ? span : null);

    public TimeSpan ReadTimeSpanOrZero(string key, TimeSpan otherwise) => Read(
        key, otherwise, "a duration such as \"30s\" or \"00:00:30\"", static text =>
            ParseDuration(text) is { } span && span >= TimeSpan.Zero ? span : null);

    public TimeSpan ReadTimeSpanOrNever(string key, TimeSpan otherwise) => Read(
        key, otherwise, "a duration such as \"30s\" or \"00:00:30\", or never", static text =>
            text.Equals("never", StringComparison.OrdinalIgnoreCase) ? Timeout.InfiniteTimeSpan
            : ParseDuration(text) is { } span && span > TimeSpan.Zero ? span : null);

    public byte ReadCharacter(string key, byte otherwise)
        => Read(key, otherwise, "one ASCII character", static text => text is [var c] && char.IsAscii(c) ? (byte)c : null);

    public byte? ReadCharacterOrNone(string key, byte? otherwise)
        => string.Equals(ReadText(key), "none", StringComparison.OrdinalIgnoreCase) ? null
            : ReadText(key) is null ? otherwise
            : Read<byte>(key, 0, "one ASCII character, or none", static text => text is [var c] && char.IsAscii(c) ? (byte)c : null);

    public T ReadChoice<T>(string key, T otherwise)
        where T : struct, Enum
        => Read(
            key, otherwise, "one of " + string.Join(", ", Enum.GetNames<T>()), static text =>
                Enum.TryParse(text, ignoreCase: true, out T choice) && Enum.GetNames<T>().Contains(text, StringComparer.OrdinalIgnoreCase) ? choice : null);

    // The validation of the route's options checks the prefix later and reports what is wrong.
    public string ReadSubjectPrefix(string key, string otherwise) => ReadText(key) ?? otherwise;

    public IReadOnlyList<string>? ReadTexts(string key, string one) => ReadTexts(key) is { Count: > 0 } texts ? texts : null;

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
            Problem($"{Path}:{key}", text, $"of use without {other}");
        }
    }

    /// <summary>
    /// Reads one endpoint, or an array whose elements are endpoints or sections with <c>Endpoint</c> and <c>Allow</c>.
    /// </summary>
    public IReadOnlyList<BridgeEndpoint> ReadEndpoints(string key)
    {
        IConfigurationSection at = At(key);
        IConfigurationSection[] items = at.Value is null && IsTextOrList(key) ? [.. at.GetChildren()] : [at];
        if (!at.Exists())
        {
            return [];
        }

        var read = new List<BridgeEndpoint>();
        foreach (IConfigurationSection item in items)
        {
            if (item.Value is { } text)
            {
                Add(text, [], item.Path);
                continue;
            }

            var inner = new RouteSection(item, Problems);
            Add(inner.ReadText("Endpoint") ?? "", [.. inner.ReadAllowed("Allow").Select(network => Network(network, item.Path)).OfType<IPNetwork>()], item.Path);
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
        IConfigurationSection at = At(key);
        if (!string.IsNullOrEmpty(at.Value))
        {
            Problems.Add($"{at.Path}: a section is wanted, and this is a single value.");
            return null;
        }

        if (!at.Exists())
        {
            return null;
        }

        var inner = new RouteSection(at, Problems);
        T result = read(inner);
        inner.RejectTheRest(key);
        return result;
    }

    private IPNetwork? Network(string text, string path)
    {
        if (BridgeEndpoint.TryParseAllowed(text, out IPNetwork network))
        {
            return network;
        }

        Problem($"{path}:Allow", text, NetworkShape);
        return null;
    }

    private T Read<T>(string key, T otherwise, string shape, Func<string, T?> parse)
        where T : struct
        => Read(key, shape, parse) ?? otherwise;
}
