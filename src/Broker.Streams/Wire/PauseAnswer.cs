namespace Broker.Streams;

internal sealed class PauseAnswer : ApiAnswer
{
    public bool Paused { get; init; }

    public DateTime PauseUntil { get; init; }

    /// <summary>In nanoseconds.</summary>
    public long? PauseRemaining { get; init; }
}
