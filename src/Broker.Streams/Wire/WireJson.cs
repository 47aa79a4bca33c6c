using System.Text.Json.Serialization;

namespace Broker.Streams;

/// <summary>Reads and writes the bodies of the API.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(StreamConfig))]
[JsonSerializable(typeof(StoredConfig))]
[JsonSerializable(typeof(StreamRequest))]
[JsonSerializable(typeof(string))]
[JsonSerializable(typeof(Rejection))]
[JsonSerializable(typeof(ConsumerConfig))]
[JsonSerializable(typeof(ConsumerRequest))]
[JsonSerializable(typeof(StoredConsumerConfig))]
[JsonSerializable(typeof(ConsumerInfo))]
[JsonSerializable(typeof(ConsumerListAnswer))]
[JsonSerializable(typeof(ConsumerNamesAnswer))]
[JsonSerializable(typeof(PauseAnswer))]
[JsonSerializable(typeof(ApiAnswer))]
[JsonSerializable(typeof(StreamInfo))]
[JsonSerializable(typeof(StreamListAnswer))]
[JsonSerializable(typeof(StreamNamesAnswer))]
[JsonSerializable(typeof(SuccessAnswer))]
[JsonSerializable(typeof(MessageAnswer))]
[JsonSerializable(typeof(AccountAnswer))]
[JsonSerializable(typeof(ActionAdvisory))]
[JsonSerializable(typeof(List<StreamDetail>))]
internal sealed partial class WireJson : JsonSerializerContext;
