using System.Buffers;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace Broker.Client;

/// <summary>Writes an answer with its kind in front, and reads answers.</summary>
internal static class ServiceAnswer
{
    internal static ReadOnlySpan<byte> Write<T>(string kind, T value, JsonTypeInfo<T> type)
    {
        var body = new ArrayBufferWriter<byte>();
        using var writer = new Utf8JsonWriter(body);
        using JsonDocument document = JsonSerializer.SerializeToDocument(value, type);
        writer.WriteStartObject();
        writer.WriteString("type"u8, kind);
        foreach (JsonProperty property in document.RootElement.EnumerateObject())
        {
            property.WriteTo(writer);
        }

        writer.WriteEndObject();
        writer.Flush();
        return body.WrittenSpan;
    }

    /// <summary>Reads an answer. Returns null if it is not one: any program may answer.</summary>
    internal static T? Read<T>(in Message answer, string kind, JsonTypeInfo<T> type)
        where T : class
    {
        try
        {
            using var document = JsonDocument.Parse(answer.Body);
            return document.RootElement is { ValueKind: JsonValueKind.Object } root
                && root.TryGetProperty("type"u8, out JsonElement read) && read.ValueKind == JsonValueKind.String && read.ValueEquals(kind)
                ? root.Deserialize(type)
                : null;
        }
        catch (JsonException)
        {
            return null;
        }
    }
}
