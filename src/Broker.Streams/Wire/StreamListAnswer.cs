namespace Broker.Streams;

internal sealed class StreamListAnswer : PageAnswer
{
    public List<StreamInfo> Streams { get; init; } = [];
}
