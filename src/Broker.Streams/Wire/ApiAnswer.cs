using System.Text.Json.Serialization;

namespace Broker.Streams;

/// <summary>The answer to a request, or an error.</summary>
internal class ApiAnswer
{
    private const string Prefix = "io.nats.jetstream.api.v1.";

    [JsonPropertyOrder(-2)]
    public string? Type { get; private set; }

    [JsonPropertyOrder(-1)]
    public ApiError? Error { get; init; }

    /// <summary>Sets the type.</summary>
    /// <param name="kind">The last part of the type, for example <c>stream_info_response</c>.</param>
    internal void SetKind(string kind) => Type = Prefix + kind;
}
