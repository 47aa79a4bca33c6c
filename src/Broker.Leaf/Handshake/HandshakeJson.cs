using System.Text.Json.Serialization;

namespace Broker.Leaf;

[JsonSourceGenerationOptions(DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(HubInfo))]
[JsonSerializable(typeof(ConnectCommand))]
internal sealed partial class HandshakeJson : JsonSerializerContext;
