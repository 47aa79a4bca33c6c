namespace Broker.Client.Streams;

/// <summary>A request for the next page of a list.</summary>
internal sealed class ListRequest
{
    public int Offset { get; init; }

    /// <summary>Only streams with a subject that matches. Null for all.</summary>
    public string? Subject { get; init; }
}
