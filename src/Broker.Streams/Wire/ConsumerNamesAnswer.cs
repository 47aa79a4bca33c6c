namespace Broker.Streams;

internal sealed class ConsumerNamesAnswer : PageAnswer
{
    public List<string> Consumers { get; init; } = [];
}
