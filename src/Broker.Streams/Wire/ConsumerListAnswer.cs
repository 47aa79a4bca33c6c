namespace Broker.Streams;

internal sealed class ConsumerListAnswer : PageAnswer
{
    public List<ConsumerInfo> Consumers { get; init; } = [];
}
