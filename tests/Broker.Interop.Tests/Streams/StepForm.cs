using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;

namespace Broker.Interop.Tests.Streams;

/// <summary>Brings the result of a step to a form that is equal for equal behaviour.</summary>
internal static partial class StepForm
{
    // What depends on the time, the server or a random name. Each server counts the bytes of a record in its own form.
    private static readonly string[] Own = ["created", "ts", "first_ts", "last_ts", "last_active", "active", "time", "mtime", "nuid", "cluster", "api", "bytes"];

    /// <summary>Removes what is own to a server from a line with a name and JSON.</summary>
    internal static string Of(string line) => Of(line, Own);

    /// <summary>Removes the fields with these names.</summary>
    internal static string Of(string line, string[] own)
    {
        int colon = line.IndexOf(": ", StringComparison.Ordinal);
        try
        {
            var result = JsonNode.Parse(line[(colon + 2)..]);
            return $"{line[..colon]}: {Cleaned(result, own)?.ToJsonString()}";
        }
        catch (JsonException)
        {
            return line;
        }
    }

    private static JsonNode? Cleaned(JsonNode? node, string[] own) => node switch
    {
        JsonObject fields => Cleaned(fields, own),
        // nats-server lists streams and consumers in no order.
        JsonArray list => new JsonArray([.. list.OrderBy(NameOf, StringComparer.Ordinal).Select(item => Cleaned(item, own))]),
        _ => node?.DeepClone(),
    };

    private static string NameOf(JsonNode? item) => item is JsonObject fields && fields["name"] is JsonValue name ? name.ToString() : "";

    private static JsonObject Cleaned(JsonObject fields, string[] own)
    {
        var cleaned = new JsonObject();
        foreach ((string name, JsonNode? value) in fields.OrderBy(static field => field.Key, StringComparer.Ordinal))
        {
            // nats-server writes the versions that a configuration needs into its metadata.
            if (own.Contains(name) || name.StartsWith("_nats.", StringComparison.Ordinal))
            {
                continue;
            }

            // A field that is absent has its default.
            JsonNode? kept = Cleaned(value, own);
            if (kept is not null && !Default().IsMatch(kept.ToJsonString()))
            {
                cleaned[name] = kept;
            }
        }

        return cleaned;
    }

    [GeneratedRegex("""^(0|false|null|""|\{\}|\[\])$""")]
    private static partial Regex Default();
}
