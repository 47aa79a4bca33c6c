using System.Text.Json.Serialization;

namespace Broker.Client.Streams;

/// <summary>Reads the parts that all answers have.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower)]
[JsonSerializable(typeof(ApiErrorAnswer))]
internal sealed partial class WireJson : JsonSerializerContext;
