namespace Broker.Client.Errors;

/// <summary>The reader of a subscription's queue was too slow, and the queue's policy is to end it then.</summary>
public sealed class SlowConsumerException : ClientException
{
    internal SlowConsumerException(string filter)
        : base($"As much waits to be read of the subscription of '{filter}' as may, and it has ended.")
    {
    }
}
