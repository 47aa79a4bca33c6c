using System.Text.Json.Serialization;

namespace Broker.Client.Streams;

/// <summary>The contents of a stream.</summary>
public sealed record StreamState
{
    /// <summary>The number of messages.</summary>
    public ulong Messages { get; set; }

    /// <summary>The size of the messages, in bytes.</summary>
    public ulong Bytes { get; set; }

    /// <summary>The sequence of the first message.</summary>
    [JsonPropertyName("first_seq")]
    public ulong FirstSequence { get; set; }

    /// <summary>When the first message was stored.</summary>
    [JsonPropertyName("first_ts")]
    public DateTimeOffset FirstTime { get; set; }

    /// <summary>The sequence of the last message.</summary>
    [JsonPropertyName("last_seq")]
    public ulong LastSequence { get; set; }

    /// <summary>When the last message was stored.</summary>
    [JsonPropertyName("last_ts")]
    public DateTimeOffset LastTime { get; set; }

    /// <summary>The number of consumers.</summary>
    [JsonPropertyName("consumer_count")]
    public int Consumers { get; set; }

    /// <summary>The number of messages that were deleted between the first and the last one.</summary>
    [JsonPropertyName("num_deleted")]
    public long Deleted { get; set; }

    /// <summary>The number of subjects.</summary>
    [JsonPropertyName("num_subjects")]
    public long SubjectCount { get; set; }

    /// <summary>The number of messages of each subject, if the request asked for it. Otherwise null.</summary>
    public IReadOnlyDictionary<string, ulong>? Subjects { get; set; }
}
