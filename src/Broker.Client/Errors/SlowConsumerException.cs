using System.Globalization;

namespace Broker.Client.Errors;

/// <summary>
/// The reader of a subscription's queue was too slow, and the queue's policy is to end it then; or a request for many has more answers than
/// it may.
/// </summary>
public sealed class SlowConsumerException : ClientException
{
    internal SlowConsumerException(string filter)
        : base($"As much waits to be read of the subscription of '{filter}' as may (QueueOptions.MaxMessages, MaxBytes), and it has ended.")
    {
    }

    internal SlowConsumerException(string subject, long maxBytes)
        : base(string.Create(
            CultureInfo.InvariantCulture,
            $"The answers to the request to '{subject}' have more than {maxBytes:N0} bytes (RequestManyOptions.MaxBytes), and it has ended."))
    {
    }
}
