using Broker.Client.Streams;
using Microsoft.Extensions.Configuration;

namespace Broker.Hosting;

/// <summary>Finds or creates the stream and the consumer of a hosted consumer.</summary>
internal static class ConsumerStart
{
    /// <exception cref="InvalidOperationException">
    /// The stream or the consumer is missing, or the server refused to create it. The message contains the remedy.
    /// </exception>
    /// <exception cref="TimeoutException">No server answered.</exception>
    internal static async Task<StreamConsumer> RunAsync(StreamsClient streams, BrokerConsumerSettings settings, string name, CancellationToken cancellationToken)
    {
        string stream = settings.Stream!;
        try
        {
            await PrepareStreamAsync(streams, settings, stream, cancellationToken).ConfigureAwait(false);
        }
        catch (StreamException e) when (e is not StreamsUnavailableException)
        {
            throw Failed(name, nameof(settings.CreateStream), settings.CreateStream, e);
        }

        try
        {
            return await PrepareConsumerAsync(streams, settings, stream, name, cancellationToken).ConfigureAwait(false);
        }
        catch (StreamException e) when (e is not StreamsUnavailableException)
        {
            throw e.Code == StreamErrorCode.StreamNotFound
                ? Failed(name, nameof(settings.CreateStream), settings.CreateStream, e)
                : Failed(name, nameof(settings.CreateConsumer), settings.CreateConsumer, e);
        }
    }

    private static async Task PrepareStreamAsync(StreamsClient streams, BrokerConsumerSettings settings, string stream, CancellationToken cancellationToken)
    {
        if (settings.CreateStream == CreationPolicy.Never)
        {
            return;
        }

        StreamConfig config = settings.StreamConfigurations.Aggregate(
            new StreamConfig(stream, settings.Subjects.Count == 0 ? [$"{stream}.>"] : [.. settings.Subjects]), static (c, configure) => configure(c));
        if (settings.CreateStream == CreationPolicy.CreateOrUpdate)
        {
            await streams.CreateOrUpdateStreamAsync(config, cancellationToken).ConfigureAwait(false);
            return;
        }

        if (await streams.FindStreamAsync(stream, cancellationToken: cancellationToken).ConfigureAwait(false) is null)
        {
            try
            {
                await streams.CreateStreamAsync(config, cancellationToken).ConfigureAwait(false);
            }
            catch (StreamException e) when (e.Code == StreamErrorCode.StreamNameInUse)
            {
                // Another program has created it meanwhile.
            }
        }
    }

    private static async Task<StreamConsumer> PrepareConsumerAsync(
        StreamsClient streams, BrokerConsumerSettings settings, string stream, string name, CancellationToken cancellationToken)
    {
        string consumer = settings.Consumer ?? name;
        if (settings.CreateConsumer == CreationPolicy.Never)
        {
            return await streams.GetConsumerAsync(stream, consumer, cancellationToken).ConfigureAwait(false);
        }

        ConsumerConfig config = settings.ConsumerConfigurations.Aggregate(Configure(settings, consumer), static (c, configure) => configure(c));
        if (settings.CreateConsumer == CreationPolicy.CreateOrUpdate)
        {
            return await streams.CreateOrUpdateConsumerAsync(stream, config, cancellationToken).ConfigureAwait(false);
        }

        if (await streams.FindConsumerInfoAsync(stream, consumer, cancellationToken).ConfigureAwait(false) is null)
        {
            try
            {
                return await streams.CreateConsumerAsync(stream, config, cancellationToken).ConfigureAwait(false);
            }
            catch (StreamException e) when (e.Code == StreamErrorCode.ConsumerExists)
            {
                // Another program has created it meanwhile.
            }
        }

        return await streams.GetConsumerAsync(stream, consumer, cancellationToken).ConfigureAwait(false);
    }

    private static ConsumerConfig Configure(BrokerConsumerSettings settings, string consumer)
    {
        var config = new ConsumerConfig(consumer)
        {
            FilterSubject = settings.Filters.Count == 1 ? settings.Filters[0] : null,
            FilterSubjects = settings.Filters.Count > 1 ? [.. settings.Filters] : null,
        };
        config.AckWait = settings.AckWait ?? config.AckWait;
        config.MaxDeliver = settings.MaxDeliver ?? config.MaxDeliver;
        return config;
    }

    private static InvalidOperationException Failed(string name, string key, CreationPolicy policy, StreamException e)
    {
        string path = ConfigurationPath.Combine(BrokerConsumerSettings.Section, name, key);
        bool isMissing = policy == CreationPolicy.Never && e.Code is StreamErrorCode.StreamNotFound or StreamErrorCode.ConsumerNotFound;
        return new InvalidOperationException(
            $"The hosted consumer '{name}' cannot start: {e.Message}" + (isMissing ? $" {path} = IfMissing creates it at the start." : ""), e);
    }
}
