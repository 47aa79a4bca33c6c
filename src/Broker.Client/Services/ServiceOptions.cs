namespace Broker.Client;

/// <summary>The description of a service in its answers.</summary>
/// <param name="Name">The name: letters, digits, <c>-</c> and <c>_</c> of ASCII. All instances of a service have the
/// same name.</param>
/// <param name="Version">The version, as in semantic versioning: <c>1.2.3</c>.</param>
public sealed record ServiceOptions(string Name, string Version)
{
    /// <summary>The queue group of endpoints if no option names another one: <c>q</c>.</summary>
    public const string DefaultQueueGroup = "q";

    /// <summary>A description for people. Null for none.</summary>
    public string? Description { get; init; }

    /// <summary>Names and values for programs. Null for none.</summary>
    public IReadOnlyDictionary<string, string>? Metadata { get; init; }

    /// <summary>
    /// The queue group of the endpoints: of all instances, one gets a request. An empty text for none: each instance
    /// gets each request. Default <see cref="DefaultQueueGroup"/>.
    /// </summary>
    public string QueueGroup { get; init; } = DefaultQueueGroup;
}
