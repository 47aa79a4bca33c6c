using System.Globalization;
using System.Text.Json;
using Broker.Cli.Shell;

namespace Broker.Cli.Streams;

/// <summary>
/// Writes JSON with the names and units of the JetStream API, so that scripts for the <c>nats</c> command can read it:
/// times are RFC 3339, and durations are nanoseconds.
/// </summary>
internal static class ApiJson
{
    /// <summary>Prints an object on one line.</summary>
    public static void Print(ShellStreams shell, Action<Utf8JsonWriter> members)
    {
        var lines = new LineOutput(shell);
        Write(lines, members);
        lines.Flush();
    }

    /// <summary>Writes an object on one line, without a flush.</summary>
    public static void Write(LineOutput lines, Action<Utf8JsonWriter> members)
    {
        lines.WriteJson(json =>
        {
            json.WriteStartObject();
            members(json);
            json.WriteEndObject();
        });
        lines.EndLine();
    }

    /// <summary>Writes a member. Null, false and an empty list are left out, as in the API.</summary>
    public static void Add(this Utf8JsonWriter json, string name, object? value)
    {
        switch (value)
        {
            case null or false or IReadOnlyCollection<string> { Count: 0 }:
                break;
            case bool:
                json.WriteBoolean(name, true);
                break;
            case int number:
                json.WriteNumber(name, number);
                break;
            case long number:
                json.WriteNumber(name, number);
                break;
            case ulong number:
                json.WriteNumber(name, number);
                break;
            case TimeSpan time:
                json.WriteNumber(name, time.Ticks * TimeSpan.NanosecondsPerTick);
                break;
            case DateTimeOffset time:
                json.WriteString(name, Time(time));
                break;
            case IReadOnlyCollection<string> texts:
                json.WriteStartArray(name);
                foreach (string text in texts)
                {
                    json.WriteStringValue(text);
                }

                json.WriteEndArray();
                break;
            case string text:
                json.WriteString(name, text);
                break;
            default:
                throw new ArgumentException($"a {value.GetType().Name} cannot be written", nameof(value));
        }
    }

    /// <summary>Writes a number that has no effect, and is left out in the API, if it is 0.</summary>
    public static void AddUnless0(this Utf8JsonWriter json, string name, long value)
    {
        if (value != 0)
        {
            json.WriteNumber(name, value);
        }
    }

    /// <summary>Writes members whose names come from elsewhere: metadata, or the numbers of subjects.</summary>
    public static void AddAll<T>(this Utf8JsonWriter json, string name, IReadOnlyDictionary<string, T>? values)
    {
        if (values is not null)
        {
            json.AddObject(name, inner =>
            {
                foreach ((string key, T value) in values)
                {
                    inner.Add(key, value);
                }
            });
        }
    }

    public static void AddObject(this Utf8JsonWriter json, string name, Action<Utf8JsonWriter> members)
    {
        json.WriteStartObject(name);
        members(json);
        json.WriteEndObject();
    }

    /// <summary>Writes a list of objects. An empty list is left out, as in the API.</summary>
    public static void AddObjects<T>(this Utf8JsonWriter json, string name, IReadOnlyCollection<T>? items, Action<Utf8JsonWriter, T> members)
    {
        if (items is not { Count: > 0 })
        {
            return;
        }

        json.WriteStartArray(name);
        foreach (T item in items)
        {
            json.WriteStartObject();
            members(json, item);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    /// <summary>Writes the fields of a newer server as they came.</summary>
    public static void AddOther(this Utf8JsonWriter json, IDictionary<string, JsonElement>? fields)
    {
        foreach ((string name, JsonElement value) in fields ?? Enumerable.Empty<KeyValuePair<string, JsonElement>>())
        {
            json.WritePropertyName(name);
            value.WriteTo(json);
        }
    }

    private static string Time(DateTimeOffset time) => time.ToUniversalTime().ToString("yyyy-MM-dd'T'HH:mm:ss.FFFFFFF'Z'", CultureInfo.InvariantCulture);
}
