using System.Text.Json.Serialization;

namespace Broker.Client.Streams.Tests.KeyValue;

[JsonSerializable(typeof(Profile))]
internal sealed partial class ProfileJson : JsonSerializerContext;
