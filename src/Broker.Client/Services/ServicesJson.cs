using System.Text.Json.Serialization;

namespace Broker.Client;

/// <summary>Reads and writes what services tell of themselves.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower, DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(ServicePing))]
[JsonSerializable(typeof(ServiceInfo))]
[JsonSerializable(typeof(ServiceStats))]
internal sealed partial class ServicesJson : JsonSerializerContext;
