namespace Broker.Client.Streams;

/// <summary>
/// The consumer that a program reads from no longer exists. The messages that were received before the error can still
/// be acknowledged only if the consumer is created again with its name.
/// </summary>
public sealed class ConsumerGoneException : StreamException
{
    internal ConsumerGoneException(string stream, string consumer, bool deleted, Exception? inner = null)
        : base(
            $"The consumer '{consumer}' of the stream '{stream}' "
            + (deleted
                ? "was deleted. Create it again to go on."
                : "is gone: it was in memory and its server restarted, or nobody used it for too long. Create it again, make it durable (ConsumerConfig.Durable), or choose ConsumeOptions.RecreateMissing."),
            inner)
    {
        Status = deleted ? 409 : 404;
        Code = StreamErrorCode.ConsumerNotFound;
        Stream = stream;
        Consumer = consumer;
    }
}
