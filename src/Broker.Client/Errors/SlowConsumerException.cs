using System.Globalization;

namespace Broker.Client;

/// <summary>
/// The reader of a subscription's queue was too slow, and the queue's policy is to end the subscription. Or the replies
/// to a request for many replies have exceeded <see cref="RequestManyOptions.MaxBytes"/>.
/// </summary>
public sealed class SlowConsumerException : ClientException
{
    internal SlowConsumerException(string filter)
        : base($"The subscription to '{filter}' has ended because its queue is full (QueueOptions.MaxMessages, QueueOptions.MaxBytes).")
    {
    }

    internal SlowConsumerException(string subject, long maxBytes)
        : base(string.Create(
            CultureInfo.InvariantCulture,
            $"The request to '{subject}' has ended because its replies have more than {maxBytes:N0} bytes (RequestManyOptions.MaxBytes)."))
    {
    }
}
