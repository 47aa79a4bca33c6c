namespace Broker.Client.Streams;

internal sealed class GetMessageAnswer
{
    public StoredMessageAnswer? Message { get; set; }
}
