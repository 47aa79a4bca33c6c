using System.Text.Json.Serialization;

namespace Broker.Client.Streams;

/// <summary>Reads and writes the descriptions of objects.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower, DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingDefault)]
[JsonSerializable(typeof(ObjectMeta))]
internal sealed partial class ObjectsJson : JsonSerializerContext;
