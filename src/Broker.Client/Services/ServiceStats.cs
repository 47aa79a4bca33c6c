namespace Broker.Client;

/// <summary>The statistics of an instance of a service.</summary>
public sealed record ServiceStats
{
    /// <summary>The name of the service.</summary>
    public string Name { get; init => field = value ?? ""; } = "";

    /// <summary>The id of the instance.</summary>
    public string Id { get; init => field = value ?? ""; } = "";

    /// <summary>The version of the service.</summary>
    public string Version { get; init => field = value ?? ""; } = "";

    /// <summary>Names and values for programs.</summary>
    public IReadOnlyDictionary<string, string>? Metadata { get; init; }

    /// <summary>When the instance was started.</summary>
    public DateTimeOffset Started { get; init; }

    /// <summary>The statistics of the endpoints.</summary>
    public IReadOnlyList<EndpointStats> Endpoints { get; init => field = value ?? []; } = [];

    /// <summary>The kind of the answer in the protocol.</summary>
    internal const string Type = "io.nats.micro.v1.stats_response";
}
