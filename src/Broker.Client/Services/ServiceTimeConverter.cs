using System.Text.Json;
using System.Text.Json.Serialization;

namespace Broker.Client;

/// <summary>Writes a duration as nanoseconds.</summary>
internal sealed class ServiceTimeConverter : JsonConverter<TimeSpan>
{
    /// <inheritdoc/>
    public override TimeSpan Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
        // Clients of languages with one type of number may write a fraction.
        => TimeSpan.FromTicks((reader.TryGetInt64(out long whole) ? whole : (long)reader.GetDouble()) / TimeSpan.NanosecondsPerTick);

    /// <inheritdoc/>
    public override void Write(Utf8JsonWriter writer, TimeSpan value, JsonSerializerOptions options)
        => writer.WriteNumberValue(value.Ticks * TimeSpan.NanosecondsPerTick);
}
