namespace Broker.Client.Streams;

internal sealed class SuccessAnswer
{
    public bool Success { get; set; }

    /// <summary>The number of messages that a purge has removed.</summary>
    public ulong Purged { get; set; }
}
