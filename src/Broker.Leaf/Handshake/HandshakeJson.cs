using System.Text.Json.Serialization;

namespace Broker.Leaf;

[JsonSourceGenerationOptions(DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(HubInfo))]
[JsonSerializable(typeof(ConnectCommand))]
[JsonSerializable(typeof(LeafConnect))]
[JsonSerializable(typeof(ListenerInfo))]
internal sealed partial class HandshakeJson : JsonSerializerContext;
