using System.Text.Json.Serialization;

namespace Broker.Client.Streams;

/// <summary>Writes the requests about streams and consumers, and reads their answers.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingDefault,
    Converters =
    [
        typeof(NanosecondsConverter), typeof(RetentionPolicyConverter), typeof(DiscardPolicyConverter), typeof(StorageTypeConverter),
        typeof(StreamCompressionConverter), typeof(DeliverPolicyConverter), typeof(AckPolicyConverter), typeof(ReplayPolicyConverter),
    ])]
[JsonSerializable(typeof(StreamConfig))]
[JsonSerializable(typeof(StreamInfo))]
[JsonSerializable(typeof(StreamInfoRequest))]
[JsonSerializable(typeof(ConsumerInfo))]
[JsonSerializable(typeof(CreateConsumerRequest))]
[JsonSerializable(typeof(AccountInfo))]
[JsonSerializable(typeof(PurgeOptions))]
[JsonSerializable(typeof(ListRequest))]
[JsonSerializable(typeof(ListAnswer<string>), TypeInfoPropertyName = "ListOfNames")]
[JsonSerializable(typeof(ListAnswer<StreamInfo>), TypeInfoPropertyName = "ListOfStreams")]
[JsonSerializable(typeof(ListAnswer<ConsumerInfo>), TypeInfoPropertyName = "ListOfConsumers")]
[JsonSerializable(typeof(SuccessAnswer))]
[JsonSerializable(typeof(DeleteMessageRequest))]
[JsonSerializable(typeof(GetMessageRequest))]
[JsonSerializable(typeof(GetMessageAnswer))]
[JsonSerializable(typeof(PauseRequest))]
[JsonSerializable(typeof(PauseAnswer))]
internal sealed partial class StreamsJson : JsonSerializerContext;
