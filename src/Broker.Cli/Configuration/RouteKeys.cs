using Broker.Bridge;

namespace Broker.Cli.Configuration;

/// <summary>
/// Reads the keys of a route from a file. The file's keys have underscores: <c>TimeToLive</c> is <c>time_to_live</c>.
/// </summary>
internal sealed class RouteKeys(ConfigSection section, ZeroMqEndpointConfig endpoints) : IRouteConfiguration
{
    private readonly List<BridgeEndpoint> _read = [];

    /// <summary>The endpoints of all keys that were read.</summary>
    public IReadOnlyList<BridgeEndpoint> EndpointsRead => _read;

    public string? ReadText(string key) => section.Text(Written(key), null);

    public string ReadRequiredText(string key)
    {
        if (ReadText(key) is { } text)
        {
            return text;
        }

        if (!section.Has(Written(key)))
        {
            section.Lacks($"\"{Written(key)}\" is missing");
        }

        return "";
    }

    public bool ReadBoolean(string key, bool otherwise) => section.Flag(Written(key), otherwise);

    public long ReadInteger(string key, long otherwise, long least, long most) => section.Whole(Written(key), otherwise, least, most);

    public long ReadByteCount(string key, long otherwise, long least, long most) => section.Bytes(Written(key), otherwise, least, most);

    public TimeSpan ReadTimeSpan(string key, TimeSpan otherwise) => section.Span(Written(key), otherwise);

    public TimeSpan ReadSeconds(string key, TimeSpan otherwise, int least) => section.Seconds(Written(key), otherwise, least);

    public TimeSpan ReadTimeSpanOrZero(string key, TimeSpan otherwise) => section.SpanOrNone(Written(key), otherwise);

    public TimeSpan ReadTimeSpanOrNever(string key, TimeSpan otherwise) => section.SpanOrNever(Written(key), otherwise);

    public byte ReadCharacter(string key, byte otherwise) => (byte)TopicKeys.Character(section, Written(key), (char)otherwise);

    public byte? ReadCharacterOrNone(string key, byte? otherwise)
        => (byte?)TopicKeys.CharacterOrNone(section, Written(key), (char?)otherwise);

    public string ReadSubjectPrefix(string key, string otherwise) => TopicKeys.Prefix(section, Written(key), otherwise);

    public T ReadChoice<T>(string key, T otherwise)
        where T : struct, Enum
        => section.Choice(Written(key), otherwise, [.. Enum.GetValues<T>().Select(static value => (value.ToString().ToLowerInvariant(), value))]);

    public IReadOnlyList<string>? ReadTexts(string key, string one)
        => section.Has(Written(key)) ? section.Many<string>(Written(key), [], $"{one}, or an array of them", static text => text) : Nothing(key);

    public IReadOnlyList<BridgeEndpoint> ReadEndpoints(string key)
    {
        IReadOnlyList<BridgeEndpoint> read = endpoints.Read(section, Written(key), []);
        _read.AddRange(read);
        return read;
    }

    public T? ReadSection<T>(string key, Func<IRouteConfiguration, T> read)
        where T : class
        => section.Inner(Written(key), inner => read(new RouteKeys(inner, endpoints)));

    public void RequireOneOf(string key, string other)
    {
        if (section.Has(Written(key)) == section.Has(Written(other)))
        {
            section.Lacks($"exactly one of \"{Written(key)}\" and \"{Written(other)}\" must be set");
        }
    }

    public void ReportMissing(string key, string other)
    {
        if (section.Find(Written(key)) is { } value)
        {
            section.Wrong(Written(key), $"used together with \"{Written(other)}\"", value, 0);
        }
    }

    private static string Written(string key)
        => string.Concat(key.Select(static c => char.IsAsciiLetterUpper(c) ? $"_{char.ToLowerInvariant(c)}" : c.ToString()))[1..];

    // Reading a missing key makes it a known key.
    private IReadOnlyList<string>? Nothing(string key)
    {
        section.Find(Written(key));
        return null;
    }
}
