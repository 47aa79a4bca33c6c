namespace Broker.Streams;

internal sealed class SuccessAnswer : ApiAnswer
{
    public bool Success { get; init; } = true;

    public ulong? Purged { get; init; }
}
