using System.Runtime.CompilerServices;

namespace Broker.Client.Streams;

/// <summary>Creates, finds and deletes buckets.</summary>
internal sealed class BucketManager(StreamsApi api, StreamManager streams, ConsumerManager consumers, AckedPublisher publisher)
{
    // The servers that know a time to live of a message have at least this level.
    private const int LevelWithKeyTimeToLive = 1;

    internal StreamManager Streams => streams;

    internal ConsumerManager Consumers => consumers;

    internal AckedPublisher Publisher => publisher;

    internal async Task<Bucket> CreateAsync(BucketOptions options, bool orUpdate, CancellationToken cancellationToken)
    {
        StreamConfig config = BucketConfig.ToStream(options);
        if (config.AllowMessageTimeToLive)
        {
            await RequireKeyTimeToLiveAsync(options.Name, cancellationToken).ConfigureAwait(false);
        }

        try
        {
            return Open(await (orUpdate ? streams.CreateOrUpdateAsync(config, cancellationToken) : streams.CreateAsync(config, cancellationToken)).ConfigureAwait(false));
        }
        catch (StreamException e) when (e.Code == StreamErrorCode.StreamNameInUse)
        {
            throw new BucketException(
                options.Name, $"The bucket '{options.Name}' exists with other options. Use GetBucketAsync to use it as it is, or CreateOrUpdateBucketAsync to change it.", e);
        }
    }

    internal async Task<Bucket?> FindAsync(string bucket, CancellationToken cancellationToken)
    {
        BucketNames.Require(bucket, nameof(bucket));
        try
        {
            return Open(await streams.GetAsync(BucketNames.StreamOf(bucket), null, cancellationToken).ConfigureAwait(false));
        }
        catch (StreamException e) when (e.Code == StreamErrorCode.StreamNotFound)
        {
            return null;
        }
    }

    internal async Task<bool> DeleteAsync(string bucket, CancellationToken cancellationToken)
    {
        BucketNames.Require(bucket, nameof(bucket));
        try
        {
            return (await streams.DeleteAsync(BucketNames.StreamOf(bucket), cancellationToken).ConfigureAwait(false)).Success;
        }
        catch (StreamException e) when (e.Code == StreamErrorCode.StreamNotFound)
        {
            return false;
        }
    }

    internal async IAsyncEnumerable<BucketStatus> ListAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        // A mirror has no subjects, so the server cannot select the buckets.
        await foreach (StreamInfo stream in streams.ListAsync(null, cancellationToken).ConfigureAwait(false))
        {
            if (BucketNames.IsStream(stream.Config.Name))
            {
                yield return new BucketStatus(stream);
            }
        }
    }

    internal async IAsyncEnumerable<string> ListNamesAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await foreach (string stream in streams.ListNamesAsync(null, cancellationToken).ConfigureAwait(false))
        {
            if (BucketNames.IsStream(stream))
            {
                yield return BucketNames.BucketOf(stream);
            }
        }
    }

    private Bucket Open(StreamInfo stream) => new(this, stream.Config, BucketSubjects.Of(stream.Config, api.Prefix));

    // An older server ignores the option, and it then keeps keys for ever.
    private async Task RequireKeyTimeToLiveAsync(string bucket, CancellationToken cancellationToken)
    {
        ApiLevelAnswer answer = await api.CallAsync(new ApiCall("INFO"), default, KeyValueJson.Default.ApiLevelAnswer, cancellationToken).ConfigureAwait(false);
        if (answer.Api.Level < LevelWithKeyTimeToLive)
        {
            throw new BucketException(
                bucket,
                $"The bucket '{bucket}' cannot be created: the server does not know a time to live of a key (BucketOptions.AllowKeyTimeToLive, BucketOptions.DeleteMarkerTimeToLive). It needs nats-server 2.11.");
        }
    }
}
