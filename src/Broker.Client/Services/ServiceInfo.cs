namespace Broker.Client;

/// <summary>The answer of an instance of a service about itself.</summary>
public sealed record ServiceInfo
{
    /// <summary>The name of the service.</summary>
    public string Name { get; init => field = value ?? ""; } = "";

    /// <summary>The id of the instance.</summary>
    public string Id { get; init => field = value ?? ""; } = "";

    /// <summary>The version of the service.</summary>
    public string Version { get; init => field = value ?? ""; } = "";

    /// <summary>Names and values for programs.</summary>
    public IReadOnlyDictionary<string, string>? Metadata { get; init; }

    /// <summary>A description for people.</summary>
    public string? Description { get; init; }

    /// <summary>The endpoints.</summary>
    public IReadOnlyList<EndpointInfo> Endpoints { get; init => field = value ?? []; } = [];

    /// <summary>The kind of the answer in the protocol.</summary>
    internal const string Type = "io.nats.micro.v1.info_response";
}
