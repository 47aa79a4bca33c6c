namespace Broker.Streams;

internal sealed class StreamNamesAnswer : PageAnswer
{
    public List<string> Streams { get; init; } = [];
}
