using System.Text.Json.Serialization;

namespace Broker.Client.Streams;

/// <summary>Reads the answers that only buckets ask for.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower)]
[JsonSerializable(typeof(ApiLevelAnswer))]
internal sealed partial class KeyValueJson : JsonSerializerContext;
