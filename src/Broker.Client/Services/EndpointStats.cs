using System.Text.Json;
using System.Text.Json.Serialization;

namespace Broker.Client;

/// <summary>The statistics of one endpoint.</summary>
public sealed record EndpointStats
{
    /// <summary>The name of the endpoint.</summary>
    public string Name { get; init => field = value ?? ""; } = "";

    /// <summary>The subject of its requests.</summary>
    public string Subject { get; init => field = value ?? ""; } = "";

    /// <summary>The queue group. Null or empty for none.</summary>
    public string? QueueGroup { get; init; }

    /// <summary>The number of requests that the handler got.</summary>
    [JsonPropertyName("num_requests")]
    public long Requests { get; init; }

    /// <summary>The number of requests that were answered with an error.</summary>
    [JsonPropertyName("num_errors")]
    public long Errors { get; init; }

    /// <summary>The code and the text of the last error. Null or empty for none.</summary>
    public string? LastError { get; init; }

    /// <summary>The time in handlers.</summary>
    [JsonConverter(typeof(ServiceTimeConverter))]
    public TimeSpan ProcessingTime { get; init; }

    /// <summary>The time in handlers, divided by the number of requests.</summary>
    [JsonConverter(typeof(ServiceTimeConverter))]
    public TimeSpan AverageProcessingTime { get; init; }

    /// <summary>Data of the program (<see cref="EndpointOptions.Data"/>). Null for none.</summary>
    public JsonElement? Data { get; init; }
}
