using Broker.Bridge.Routes;

namespace Broker.Bridge.Configuration;

/// <summary>
/// The keys of one route, or of what is within one, wherever they are written: the command's file, a host's configuration. Keys are asked for
/// as a host writes them, <c>TimeToLive</c>. What is wrong with a value is remembered and the default answered; keys that nobody asks for are wrong.
/// </summary>
internal interface IRouteReader
{
    /// <summary>Null without the key.</summary>
    string? Text(string key);

    /// <summary>A text that must be said; without the key that is wrong, and the answer is empty.</summary>
    string Needed(string key);

    /// <summary>True or false.</summary>
    bool Flag(string key, bool otherwise);

    /// <summary>A whole number.</summary>
    long Whole(string key, long otherwise, long least, long most);

    /// <summary>A number of bytes, which may have a unit where such are written.</summary>
    long Bytes(string key, long otherwise, long least, long most);

    /// <summary>A time above 0.</summary>
    TimeSpan Span(string key, TimeSpan otherwise);

    /// <summary>Whole seconds, up to a day.</summary>
    TimeSpan Seconds(string key, TimeSpan otherwise, int least);

    /// <summary>A time, or none.</summary>
    TimeSpan SpanOrNone(string key, TimeSpan otherwise);

    /// <summary>A time above 0, or <c>never</c>, which is <see cref="Timeout.InfiniteTimeSpan"/>.</summary>
    TimeSpan SpanOrNever(string key, TimeSpan otherwise);

    /// <summary>One ASCII character.</summary>
    byte Character(string key, byte otherwise);

    /// <summary>One ASCII character, or <c>none</c>.</summary>
    byte? CharacterOrNone(string key, byte? otherwise);

    /// <summary>The beginning of subjects.</summary>
    string Prefix(string key, string otherwise);

    /// <summary>One of the words of an enumeration, in any case of letters.</summary>
    T Choice<T>(string key, T otherwise)
        where T : struct, Enum;

    /// <summary>One text or several; null without the key.</summary>
    /// <param name="key">Which.</param>
    /// <param name="one">What each is, in words for a message.</param>
    IReadOnlyList<string>? Texts(string key, string one);

    /// <summary>Where ZeroMQ programs are; none without the key.</summary>
    IReadOnlyList<BridgeEndpoint> Endpoints(string key);

    /// <summary>What stands within a key; null without it.</summary>
    T? Inner<T>(string key, Func<IRouteReader, T> read)
        where T : class;

    /// <summary>Of two keys just one must be there.</summary>
    void OneOf(string key, string other);

    /// <summary>A key that says nothing without another, which is not there.</summary>
    void Lacks(string key, string other);
}
