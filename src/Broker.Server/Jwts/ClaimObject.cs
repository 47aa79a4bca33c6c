using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;

namespace Broker.Server;

/// <summary>
/// An object in the claims of a JWT. As in nats-server, names are compared without regard to case and <c>null</c> is a
/// missing claim. A claim that occurs twice is refused: readers differ in which of the two counts.
/// </summary>
internal sealed class ClaimObject
{
    private const int MaxShown = 64;

    private readonly Dictionary<string, JsonElement> _claims = new(StringComparer.OrdinalIgnoreCase);
    private readonly string _path;

    /// <param name="json">The JSON; null for an object without claims.</param>
    /// <param name="path">The path of the object in error texts; empty for the whole claims.</param>
    /// <exception cref="JwtException">The JSON is not an object, or a claim occurs twice.</exception>
    internal ClaimObject(JsonElement? json, string path)
    {
        _path = path;
        if (json is not { ValueKind: not JsonValueKind.Null } claims)
        {
            return;
        }

        if (claims.ValueKind != JsonValueKind.Object)
        {
            throw new JwtException($"{Quote(path)} must be an object");
        }

        foreach (JsonProperty claim in claims.EnumerateObject())
        {
            if (!_claims.TryAdd(claim.Name, claim.Value))
            {
                throw new JwtException($"{Quote(PathOf(claim.Name))} occurs twice");
            }
        }
    }

    /// <summary>An object without claims.</summary>
    internal static ClaimObject None { get; } = new(null, "");

    /// <summary>The names of the claims.</summary>
    internal IEnumerable<string> Names => _claims.Keys;

    /// <summary>The path of a claim in this object, for error texts.</summary>
    internal string PathOf(string name) => _path.Length == 0 ? name : $"{_path}.{name}";

    /// <summary>An error about one claim of this object.</summary>
    internal JwtException Wrong(string name, string problem) => new($"{Quote(PathOf(name))} {problem}");

    internal bool Has(string name) => TryFind(name, out _);

    internal string? Text(string name)
        => !TryFind(name, out JsonElement value) ? null
            : value.ValueKind == JsonValueKind.String ? value.GetString()
            : throw Wrong(name, "must be a text");

    /// <summary>Reads a whole number; 0 if it is missing.</summary>
    internal long Whole(string name)
        => !TryFind(name, out JsonElement value) ? 0
            : value.ValueKind == JsonValueKind.Number && value.TryGetInt64(out long number) ? number
            : throw Wrong(name, "must be a whole number");

    /// <summary>Converts nanoseconds to a time, and rounds up: a short time must not become none.</summary>
    internal static TimeSpan SpanOf(long nanoseconds)
        => new((nanoseconds / TimeSpan.NanosecondsPerTick) + (nanoseconds % TimeSpan.NanosecondsPerTick > 0 ? 1 : 0));

    /// <summary>Reads a number that is a limit: -1 for none, which becomes null. A missing limit is 0.</summary>
    internal int? Limit(string name)
        => Whole(name) switch
        {
            -1 => null,
            < -1 => throw Wrong(name, "must be -1 or more"),
            var number => (int)Math.Min(number, int.MaxValue),
        };

    internal bool Flag(string name)
        => TryFind(name, out JsonElement value)
            && (value.ValueKind is JsonValueKind.True or JsonValueKind.False
                ? value.GetBoolean()
                : throw Wrong(name, "must be true or false"));

    /// <summary>Reads a list of texts. As in nats-server, one text may hold several, separated by commas.</summary>
    /// <param name="name">The name of the claim.</param>
    /// <param name="maySplit">Whether the claim may be one text with commas.</param>
    internal IReadOnlyList<string> Texts(string name, bool maySplit = false)
    {
        if (!TryFind(name, out JsonElement value))
        {
            return [];
        }

        if (maySplit && value.ValueKind == JsonValueKind.String)
        {
            return value.GetString()!.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);
        }

        var texts = new List<string>();
        foreach (JsonElement item in Items(name, value))
        {
            texts.Add(item.ValueKind == JsonValueKind.String
                ? item.GetString()!
                : throw Wrong(name, "must be a list of texts"));
        }

        return texts;
    }

    /// <summary>Reads an inner object. If it is missing, the result has no claims.</summary>
    internal ClaimObject Object(string name)
        => new(TryFind(name, out JsonElement value) ? value : null, PathOf(name));

    /// <summary>Reads a list of objects.</summary>
    internal IEnumerable<ClaimObject> Objects(string name)
        => Elements(name).Select((item, at) => new ClaimObject(item, $"{PathOf(name)}[{at}]"));

    /// <summary>Reads a list of any values.</summary>
    internal IEnumerable<JsonElement> Elements(string name)
        => TryFind(name, out JsonElement value) ? Items(name, value) : [];

    /// <summary>Computes a hash of some claims, which shows whether two JWTs differ in them.</summary>
    internal byte[] Digest(params ReadOnlySpan<string> names)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        foreach (string name in names)
        {
            // No JSON contains a zero byte, so the parts cannot run into each other.
            hash.AppendData(TryFind(name, out JsonElement value) ? Encoding.UTF8.GetBytes(value.GetRawText()) : []);
            hash.AppendData([0]);
        }

        return hash.GetHashAndReset();
    }

    private JsonElement.ArrayEnumerator Items(string name, JsonElement value)
        => value.ValueKind == JsonValueKind.Array ? value.EnumerateArray() : throw Wrong(name, "must be a list");

    private bool TryFind(string name, [MaybeNullWhen(false)] out JsonElement value)
        => _claims.TryGetValue(name, out value) && value.ValueKind != JsonValueKind.Null;

    // The path may contain names that the sender of the token has chosen.
    private static string Quote(string path)
        => path.Length == 0 ? "the claims" : QuotedText.Of(Encoding.UTF8.GetBytes(path.Length > MaxShown ? path[..MaxShown] : path));
}
