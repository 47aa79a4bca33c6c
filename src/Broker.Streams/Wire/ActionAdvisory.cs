namespace Broker.Streams;

/// <summary>An event that tells of a change of a stream or a consumer.</summary>
internal sealed class ActionAdvisory
{
    public required string Type { get; init; }

    public string Id { get; } = Guid.NewGuid().ToString("N");

    public required DateTime Timestamp { get; init; }

    public required string Stream { get; init; }

    public string? Consumer { get; init; }

    /// <summary><c>create</c>, <c>modify</c> or <c>delete</c>; null for a pause.</summary>
    public string? Action { get; init; }

    public bool? Paused { get; init; }

    public DateTime? PauseUntil { get; init; }

    public string? Domain { get; init; }
}
