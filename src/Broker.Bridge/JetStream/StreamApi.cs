using Broker.Client;
using Broker.Client.Streams;

namespace Broker.Bridge;

/// <summary>The requests of a pipeline about its stream and its consumer.</summary>
internal sealed class StreamApi : IDisposable
{
    private static readonly TimeSpan RequestTimeout = TimeSpan.FromSeconds(5);

    private readonly StreamsClient _streams;
    private readonly StreamQueueOptions _options;

    internal StreamApi(BrokerConnection client, StreamQueueOptions options)
    {
        _streams = client.Streams(new StreamsOptions { Domain = options.Domain, RequestTimeout = RequestTimeout });
        _options = options;
        string prefix = options.Domain is null ? "$JS.API." : $"$JS.{options.Domain}.API.";
        NextSubject = $"{prefix}CONSUMER.MSG.NEXT.{options.Stream}.{options.Consumer}";
    }

    /// <summary>The subject for requests for messages.</summary>
    internal string NextSubject { get; }

    /// <summary>Creates the stream if it does not exist and the options permit it.</summary>
    /// <param name="subject">The subject of the pipeline.</param>
    /// <exception cref="StreamException">JetStream returned an error.</exception>
    /// <exception cref="Broker.Client.ClientException">The request failed without an answer.</exception>
    /// <exception cref="TimeoutException">No answer came in time.</exception>
    internal async Task EnsureStreamAsync(string subject)
    {
        if (!_options.Create)
        {
            _ = await _streams.GetStreamAsync(_options.Stream).ConfigureAwait(false);
        }
        else if (await _streams.FindStreamAsync(_options.Stream).ConfigureAwait(false) is null)
        {
            _ = await _streams.CreateStreamAsync(new StreamConfig(_options.Stream, subject)
            {
                Retention = RetentionPolicy.WorkQueue,
                Storage = StorageType.File,

                // A stream that is full refuses new messages, and PUSH programs wait. The alternative would drop the
                // oldest messages.
                Discard = DiscardPolicy.New,
                MaxBytes = _options.MaxBytes == 0 ? -1 : _options.MaxBytes,
                Replicas = _options.Replicas,
            }).ConfigureAwait(false);
        }
    }

    /// <summary>Creates the consumer if it does not exist and the options permit it.</summary>
    /// <inheritdoc cref="EnsureStreamAsync"/>
    internal async Task EnsureConsumerAsync(int mostUnacknowledged)
    {
        if (!_options.Create)
        {
            _ = await _streams.GetConsumerInfoAsync(_options.Stream, _options.Consumer).ConfigureAwait(false);
        }
        else if (await _streams.FindConsumerInfoAsync(_options.Stream, _options.Consumer).ConfigureAwait(false) is null)
        {
            _ = await _streams.CreateConsumerAsync(_options.Stream, new ConsumerConfig(_options.Consumer)
            {
                AckWait = _options.AckWait,
                MaxAckPending = mostUnacknowledged,
            }).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// Detects a work queue with messages that its only consumer will never deliver, because the consumer regards them
    /// as delivered and acknowledged. Returns the number of all messages in the stream then. Returns 0 if there are no
    /// such messages or the result is uncertain.
    /// </summary>
    /// <remarks>
    /// A nats-server of version 2.9 that was killed may restart with a lower last sequence number and assign the same
    /// numbers again. Its consumer then regards the new messages with these numbers as delivered. The consumer may wait
    /// forever for acknowledgements of the lost messages, so pending acknowledgements do not show that the consumer
    /// makes progress. In a correct work queue, each message is either pending or waits for its acknowledgement.
    /// </remarks>
    /// <inheritdoc cref="EnsureStreamAsync"/>
    internal async Task<long> CountSkippedAsync()
    {
        StreamInfo stream = await _streams.GetStreamAsync(_options.Stream).ConfigureAwait(false);
        if (stream.Config.Retention != RetentionPolicy.WorkQueue || stream.State is not { Consumers: 1, Messages: > 0 } before)
        {
            return 0;
        }

        ConsumerInfo consumer = await _streams.GetConsumerInfoAsync(_options.Stream, _options.Consumer).ConfigureAwait(false);
        if (consumer.Config is not { FilterSubject: null, FilterSubjects: null, MaxDeliver: <= 0 }
            || before.Messages <= consumer.Pending + (ulong)consumer.AckPending)
        {
            return 0;
        }

        // The two answers describe the same state only if the stream has not changed between them.
        StreamState after = (await _streams.GetStreamAsync(_options.Stream).ConfigureAwait(false)).State;
        return after.Messages == before.Messages && after.LastSequence == before.LastSequence ? (long)before.Messages : 0;
    }

    /// <summary>
    /// Deletes the consumer and creates it again with the same configuration, so that it starts with the first message
    /// of the stream.
    /// </summary>
    /// <inheritdoc cref="EnsureStreamAsync"/>
    internal async Task RecreateConsumerAsync()
    {
        ConsumerInfo consumer = await _streams.GetConsumerInfoAsync(_options.Stream, _options.Consumer).ConfigureAwait(false);
        _ = await _streams.DeleteConsumerAsync(_options.Stream, _options.Consumer).ConfigureAwait(false);
        _ = await _streams.CreateConsumerAsync(_options.Stream, consumer.Config).ConfigureAwait(false);
    }

    public void Dispose() => _streams.Dispose();
}
