using System.Text.Json;

namespace Broker.Client;

/// <summary>The options of an endpoint of a service.</summary>
public sealed record EndpointOptions
{
    internal static readonly EndpointOptions Default = new();

    /// <summary>
    /// The subject, behind that of the group. It may have wildcards. Null, the default, for the name of the endpoint.
    /// </summary>
    public string? Subject { get; init; }

    /// <summary>
    /// The queue group. Null, the default, for that of the group or of the service. An empty text for none.
    /// </summary>
    public string? QueueGroup { get; init; }

    /// <summary>Names and values for programs. Null for none.</summary>
    public IReadOnlyDictionary<string, string>? Metadata { get; init; }

    /// <summary>
    /// Returns data of the program for the statistics of the endpoint. It is called on the event loop for each question
    /// and must be fast. If it throws, the question gets no answer, and <see cref="ClientOptions.OnFault"/> gets the
    /// exception. Null for none.
    /// </summary>
    public Func<JsonElement?>? Data { get; init; }

    /// <summary>The limits of the queue of requests that wait for the handler. Null for the defaults.</summary>
    public QueueOptions? Queue { get; init; }
}
