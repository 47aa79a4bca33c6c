using System.Text.Json.Serialization;

namespace Broker.Streams;

/// <summary>The body of a request that creates or changes a consumer.</summary>
[JsonUnmappedMemberHandling(JsonUnmappedMemberHandling.Disallow)]
internal sealed class ConsumerRequest
{
    public string? StreamName { get; set; }

    public ConsumerConfig? Config { get; set; }

    /// <summary><c>create</c>, <c>update</c>, or empty for either.</summary>
    public string? Action { get; set; }

    public bool? Pedantic { get; set; }
}
