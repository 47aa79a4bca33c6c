namespace Broker.Client.Streams;

/// <summary>The limits of publishing with acknowledgement.</summary>
/// <param name="MaxMessages">The largest number of messages in flight.</param>
/// <param name="MaxBytes">The largest size of the messages in flight.</param>
/// <param name="Timeout">How long a message waits for its acknowledgement.</param>
/// <param name="Retries">How often a message is sent again if no stream answers.</param>
/// <param name="RetryWait">The pause before it is sent again.</param>
internal readonly record struct PublishLimits(int MaxMessages, long MaxBytes, TimeSpan Timeout, int Retries, TimeSpan RetryWait);
