using Broker.Client.Streams;

namespace Broker.LoadTest.Soak;

/// <summary>The streams of a soak: one for each way to remove messages.</summary>
internal static class SoakStreams
{
    public const string Aged = "AGED";
    public const string Sized = "SIZED";
    public const string Latest = "LATEST";
    public const string Queue = "QUEUE";
    public const string Interest = "INTEREST";
    public const string Bucket = "SOAK";

    /// <summary>
    /// The consumers that read one stream each. Both consumers of the interest stream must receive its messages.
    /// </summary>
    public static readonly IReadOnlyList<(string Stream, string Consumer)> Readers =
        [(Aged, "aged"), (Sized, "sized"), (Queue, "worker"), (Interest, "left"), (Interest, "right")];

    public static async Task<Bucket> CreateAsync(StreamsClient streams, SoakSettings settings, CancellationToken cancellationToken)
    {
        StreamConfig[] configs =
        [
            new(Aged, "aged.>") { MaxAge = settings.Age, AllowDirect = true },
            new(Sized, "sized.>") { MaxBytes = settings.StreamBytes },
            new(Latest, "latest.>") { MaxMessagesPerSubject = 3, AllowDirect = true },
            new(Queue, "queue.>") { Retention = RetentionPolicy.WorkQueue },
            new(Interest, "interest.>") { Retention = RetentionPolicy.Interest },
        ];
        foreach (StreamConfig config in configs)
        {
            await streams.CreateOrUpdateStreamAsync(config, cancellationToken);
        }

        foreach ((string stream, string consumer) in Readers)
        {
            await streams.CreateOrUpdateConsumerAsync(stream, new ConsumerConfig(consumer) { AckWait = TimeSpan.FromSeconds(10) }, cancellationToken);
        }

        return await streams.CreateOrUpdateBucketAsync(
            new BucketOptions(Bucket) { History = 3, AllowKeyTimeToLive = true, DeleteMarkerTimeToLive = settings.Age }, cancellationToken);
    }
}
