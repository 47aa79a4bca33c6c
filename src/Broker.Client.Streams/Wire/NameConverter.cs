using System.Runtime.CompilerServices;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Broker.Client.Streams;

/// <summary>
/// Writes the members of an enumeration by the names of the API. A name that a newer server uses becomes
/// <paramref name="other"/>.
/// </summary>
/// <param name="names">The names, in the order of the members, which begin with 0.</param>
/// <param name="other">The member for all other names. It is never written.</param>
internal abstract class NameConverter<T>(string[] names, T other) : JsonConverter<T>
    where T : struct, Enum
{
    /// <inheritdoc/>
    public override T Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
    {
        int at = reader.TokenType == JsonTokenType.String ? Array.IndexOf(names, reader.GetString()) : -1;
        return at < 0 ? other : Unsafe.BitCast<int, T>(at);
    }

    /// <inheritdoc/>
    public override void Write(Utf8JsonWriter writer, T value, JsonSerializerOptions options)
    {
        int at = Unsafe.BitCast<T, int>(value);
        if ((uint)at >= (uint)names.Length)
        {
            throw new JsonException($"{value} is not a value that can be sent as {typeof(T).Name}.");
        }

        writer.WriteStringValue(names[at]);
    }
}
