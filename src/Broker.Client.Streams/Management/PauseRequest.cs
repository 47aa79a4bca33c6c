namespace Broker.Client.Streams;

internal sealed class PauseRequest
{
    public DateTimeOffset? PauseUntil { get; init; }
}
