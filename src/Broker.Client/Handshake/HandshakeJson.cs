using System.Text.Json.Serialization;

namespace Broker.Client;

[JsonSourceGenerationOptions(DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(InfoMessage))]
[JsonSerializable(typeof(ConnectCommand))]
internal sealed partial class HandshakeJson : JsonSerializerContext;
