namespace Broker.Bridge;

/// <summary>
/// Reads the keys of one route, or of one section in it, from any format. The command implements this interface for its
/// file, and a host for its configuration. Pass an implementation to a function of <see cref="RoutePatterns"/> to get
/// the options of a route.
/// </summary>
/// <remarks>
/// Keys are passed as a host writes them, for example <c>TimeToLive</c>. If a value is wrong, the implementation
/// records the error and returns the default. It must also report the keys that no method has read.
/// </remarks>
public interface IRouteConfiguration
{
    /// <summary>Reads a text; null if the key is missing.</summary>
    string? ReadText(string key);

    /// <summary>
    /// Reads a required text. If the key is missing, the reader records an error and returns an empty text.
    /// </summary>
    string ReadRequiredText(string key);

    /// <summary>Reads true or false.</summary>
    bool ReadBoolean(string key, bool otherwise);

    /// <summary>Reads an integer.</summary>
    long ReadInteger(string key, long otherwise, long least, long most);

    /// <summary>Reads a number of bytes. It may have a unit if the format allows units.</summary>
    long ReadByteCount(string key, long otherwise, long least, long most);

    /// <summary>Reads a time span greater than 0.</summary>
    TimeSpan ReadTimeSpan(string key, TimeSpan otherwise);

    /// <summary>Reads a time span of whole seconds, at most a day.</summary>
    TimeSpan ReadSeconds(string key, TimeSpan otherwise, int least);

    /// <summary>Reads a time span of 0 or more.</summary>
    TimeSpan ReadTimeSpanOrZero(string key, TimeSpan otherwise);

    /// <summary>
    /// Reads a time span greater than 0, or the word <c>never</c> as <see cref="Timeout.InfiniteTimeSpan"/>.
    /// </summary>
    TimeSpan ReadTimeSpanOrNever(string key, TimeSpan otherwise);

    /// <summary>Reads one ASCII character.</summary>
    byte ReadCharacter(string key, byte otherwise);

    /// <summary>Reads one ASCII character, or the word <c>none</c> as null.</summary>
    byte? ReadCharacterOrNone(string key, byte? otherwise);

    /// <summary>Reads a subject prefix.</summary>
    string ReadSubjectPrefix(string key, string otherwise);

    /// <summary>Reads one of the names of an enumeration. Upper and lower case do not matter.</summary>
    T ReadChoice<T>(string key, T otherwise)
        where T : struct, Enum;

    /// <summary>Reads one or more texts; null if the key is missing.</summary>
    /// <param name="key">The key to read.</param>
    /// <param name="one">A description of one text, for error messages.</param>
    IReadOnlyList<string>? ReadTexts(string key, string one);

    /// <summary>Reads the endpoints of ZeroMQ programs; an empty list if the key is missing.</summary>
    IReadOnlyList<BridgeEndpoint> ReadEndpoints(string key);

    /// <summary>Reads the section under a key; null if the key is missing.</summary>
    T? ReadSection<T>(string key, Func<IRouteConfiguration, T> read)
        where T : class;

    /// <summary>Records an error unless exactly one of two keys is present.</summary>
    void RequireOneOf(string key, string other);

    /// <summary>
    /// Records an error if <paramref name="key"/> is present, because it requires the missing key
    /// <paramref name="other"/>.
    /// </summary>
    void ReportMissing(string key, string other);
}
