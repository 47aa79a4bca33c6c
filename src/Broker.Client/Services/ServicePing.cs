namespace Broker.Client;

/// <summary>The answer of an instance of a service to a ping.</summary>
public sealed record ServicePing
{
    /// <summary>The name of the service.</summary>
    public string Name { get; init => field = value ?? ""; } = "";

    /// <summary>The id of the instance.</summary>
    public string Id { get; init => field = value ?? ""; } = "";

    /// <summary>The version of the service.</summary>
    public string Version { get; init => field = value ?? ""; } = "";

    /// <summary>Names and values for programs.</summary>
    public IReadOnlyDictionary<string, string>? Metadata { get; init; }

    /// <summary>The kind of the answer in the protocol.</summary>
    internal const string Type = "io.nats.micro.v1.ping_response";
}
