using Broker.Bridge.Configuration;
using Broker.Bridge.Routes;

namespace Broker.Cli.Configuration;

/// <summary>The keys of a route in the file, which are written with underscores: <c>TimeToLive</c> is <c>time_to_live</c> there.</summary>
internal sealed class RouteKeys(ConfigSection section, ZeroMqEndpointConfig endpoints) : IRouteReader
{
    private readonly List<BridgeEndpoint> _read = [];

    /// <summary>The endpoints of all keys so far.</summary>
    public IReadOnlyList<BridgeEndpoint> EndpointsRead => _read;

    public string? Text(string key) => section.Text(Written(key), null);

    public string Needed(string key)
    {
        if (Text(key) is { } text)
        {
            return text;
        }

        if (!section.Has(Written(key)))
        {
            section.Lacks($"\"{Written(key)}\" must be said");
        }

        return "";
    }

    public bool Flag(string key, bool otherwise) => section.Flag(Written(key), otherwise);

    public long Whole(string key, long otherwise, long least, long most) => section.Whole(Written(key), otherwise, least, most);

    public long Bytes(string key, long otherwise, long least, long most) => section.Bytes(Written(key), otherwise, least, most);

    public TimeSpan Span(string key, TimeSpan otherwise) => section.Span(Written(key), otherwise);

    public TimeSpan Seconds(string key, TimeSpan otherwise, int least) => section.Seconds(Written(key), otherwise, least);

    public TimeSpan SpanOrNone(string key, TimeSpan otherwise) => section.SpanOrNone(Written(key), otherwise);

    public TimeSpan SpanOrNever(string key, TimeSpan otherwise) => section.SpanOrNever(Written(key), otherwise);

    public byte Character(string key, byte otherwise) => (byte)TopicKeys.Character(section, Written(key), (char)otherwise);

    public byte? CharacterOrNone(string key, byte? otherwise) => (byte?)TopicKeys.CharacterOrNone(section, Written(key), (char?)otherwise);

    public string Prefix(string key, string otherwise) => TopicKeys.Prefix(section, Written(key), otherwise);

    public T Choice<T>(string key, T otherwise)
        where T : struct, Enum
        => section.Choice(Written(key), otherwise, [.. Enum.GetValues<T>().Select(static value => (value.ToString().ToLowerInvariant(), value))]);

    public IReadOnlyList<string>? Texts(string key, string one)
        => section.Has(Written(key)) ? section.Many<string>(Written(key), [], $"{one}, or an array of them", static text => text) : Nothing(key);

    public IReadOnlyList<BridgeEndpoint> Endpoints(string key)
    {
        IReadOnlyList<BridgeEndpoint> read = endpoints.Read(section, Written(key), []);
        _read.AddRange(read);
        return read;
    }

    public T? Inner<T>(string key, Func<IRouteReader, T> read)
        where T : class
        => section.Inner(Written(key), inner => read(new RouteKeys(inner, endpoints)));

    public void OneOf(string key, string other)
    {
        if (section.Has(Written(key)) == section.Has(Written(other)))
        {
            section.Lacks($"just one of \"{Written(key)}\" and \"{Written(other)}\" must be said");
        }
    }

    public void Lacks(string key, string other)
    {
        if (section.Find(Written(key)) is { } value)
        {
            section.Wrong(Written(key), $"beside \"{Written(other)}\"", value, 0);
        }
    }

    private static string Written(string key) => string.Concat(key.Select(static c => char.IsAsciiLetterUpper(c) ? $"_{char.ToLowerInvariant(c)}" : c.ToString()))[1..];

    // It is asked for, and so it is a key.
    private IReadOnlyList<string>? Nothing(string key)
    {
        section.Find(Written(key));
        return null;
    }
}
