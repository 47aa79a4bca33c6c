namespace Broker.Streams;

internal sealed class MessageAnswer : ApiAnswer
{
    public StoredMessage? Message { get; init; }
}
