namespace Broker.Client.Streams;

internal sealed class PauseAnswer
{
    public bool Paused { get; set; }

    public DateTimeOffset? PauseUntil { get; set; }

    public TimeSpan PauseRemaining { get; set; }
}
