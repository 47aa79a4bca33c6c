using System.Text.Json;

namespace Broker.Server;

/// <summary>Reads the options in the body of a system request, with nats-server's names and defaults.</summary>
internal readonly struct RequestOptions
{
    private readonly JsonElement _body;

    private RequestOptions(JsonElement body) => _body = body;

    /// <summary>Parses a body. An empty body has no options.</summary>
    /// <exception cref="RequestException">The body is not a JSON object.</exception>
    internal static RequestOptions Parse(byte[] body)
    {
        if (body.Length == 0)
        {
            return default;
        }

        try
        {
            using var json = JsonDocument.Parse(body, new JsonDocumentOptions { MaxDepth = 16 });
            return json.RootElement.ValueKind switch
            {
                JsonValueKind.Null => default,
                JsonValueKind.Object => new RequestOptions(json.RootElement.Clone()),
                _ => throw new RequestException(RequestException.BadRequest, "the body must be a JSON object"),
            };
        }
        catch (JsonException e)
        {
            throw new RequestException(RequestException.BadRequest, e.Message);
        }
    }

    internal string? Text(string name) => Find(name) is not { } value ? null
        : value.ValueKind == JsonValueKind.String ? OrNull(value.GetString()!)
        : throw Wrong(name, "a text");

    internal bool Flag(string name) => Find(name) is { } value && value.ValueKind switch
    {
        JsonValueKind.True => true,
        JsonValueKind.False => false,
        _ => throw Wrong(name, "true or false"),
    };

    internal int Number(string name) => Find(name) is not { } value ? 0
        : value.ValueKind == JsonValueKind.Number && value.TryGetInt64(out long number)
            ? (int)Math.Clamp(number, int.MinValue, int.MaxValue)
            : throw Wrong(name, "a whole number");

    internal ulong Id(string name) => Find(name) is not { } value ? 0
        : value.ValueKind == JsonValueKind.Number && value.TryGetUInt64(out ulong number)
            ? number
            : throw Wrong(name, "a whole number that is not negative");

    internal IReadOnlyList<string> Texts(string name)
    {
        if (Find(name) is not { } value)
        {
            return [];
        }

        return value.ValueKind == JsonValueKind.Array && value.EnumerateArray().All(v => v.ValueKind == JsonValueKind.String)
            ? [.. value.EnumerateArray().Select(v => v.GetString()!)]
            : throw Wrong(name, "a list of texts");
    }

    /// <summary>Whether the options select this server, which is in no cluster and in no domain.</summary>
    internal bool Select(ServerIdentity server, string host, IReadOnlyList<string> tags)
    {
        bool exactly = Flag("exact_match");
        return Fits("server_name", server.Name, exactly) && Fits("host", host, exactly)
            && Text("cluster") is null && Text("domain") is null
            && Texts("tags").All(t => tags.Contains(t, StringComparer.OrdinalIgnoreCase));
    }

    private bool Fits(string name, string value, bool exactly)
        => Text(name) is not { } wanted
            || (exactly ? string.Equals(value, wanted, StringComparison.Ordinal) : value.Contains(wanted, StringComparison.Ordinal));

    private JsonElement? Find(string name)
        => _body.ValueKind == JsonValueKind.Object && _body.TryGetProperty(name, out JsonElement value)
            && value.ValueKind != JsonValueKind.Null ? value : null;

    private static string? OrNull(string text) => text.Length == 0 ? null : text;

    private static RequestException Wrong(string name, string wanted)
        => new(RequestException.BadRequest, $"\"{name}\" must be {wanted}");
}
