using System.Text.Json.Serialization;

namespace Broker.Client.Streams;

/// <summary>The error in an answer.</summary>
internal sealed class ApiError
{
    [JsonPropertyName("code")]
    public int Status { get; set; }

    [JsonPropertyName("err_code")]
    public int Code { get; set; }

    public string? Description { get; set; }
}
