namespace Broker.Client;

/// <summary>The part about one endpoint in the answers of a service.</summary>
public sealed record EndpointInfo
{
    /// <summary>The name of the endpoint.</summary>
    public string Name { get; init => field = value ?? ""; } = "";

    /// <summary>The subject of its requests.</summary>
    public string Subject { get; init => field = value ?? ""; } = "";

    /// <summary>The queue group. Null or empty for none.</summary>
    public string? QueueGroup { get; init; }

    /// <summary>Names and values for programs.</summary>
    public IReadOnlyDictionary<string, string>? Metadata { get; init; }
}
