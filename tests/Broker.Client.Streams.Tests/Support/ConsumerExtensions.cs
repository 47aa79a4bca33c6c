namespace Broker.Client.Streams.Tests.Support;

internal static class ConsumerExtensions
{
    /// <summary>Returns the progress of a consumer now.</summary>
    internal static Task<ConsumerInfo> InfoAsync(this StreamConsumer consumer, StreamSite site)
        => site.Streams.GetConsumerInfoAsync(consumer.Stream, consumer.Name, TestContext.Current.CancellationToken);
}
