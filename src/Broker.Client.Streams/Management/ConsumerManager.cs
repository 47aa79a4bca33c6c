using System.Runtime.CompilerServices;

namespace Broker.Client.Streams;

/// <summary>The requests about consumers.</summary>
internal sealed class ConsumerManager(StreamsApi api)
{
    internal StreamsApi Api => api;

    /// <summary>Creates or changes a consumer.</summary>
    /// <param name="stream">The name of the stream.</param>
    /// <param name="config">The configuration. If it has no name, the consumer gets one.</param>
    /// <param name="action"><c>create</c>, <c>update</c>, or null for either.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    internal async Task<ConsumerInfo> ChangeAsync(string stream, ConsumerConfig config, string? action, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(config);
        string name = config.Name ?? config.Durable ?? NewName();
        ApiCall call = About("CONSUMER.CREATE", stream, name);
        if (config.FilterSubject is { } filter)
        {
            Names.RequireFilter(filter, nameof(config));
            if (!filter.AsSpan().ContainsAny('*', '>'))
            {
                // The server compares this part of the subject with the filter, so that permissions can name it. A
                // subject with wildcards cannot be published to; the filter is in the body alone then.
                call = call with { Operation = $"{call.Operation}.{filter}" };
            }
        }

        config = config.Name is null ? config with { Name = name } : config;
        return await api.CallAsync(
            call, new CreateConsumerRequest { Stream = stream, Config = config, Action = action }, StreamsJson.Default.CreateConsumerRequest,
            StreamsJson.Default.ConsumerInfo, cancellationToken).ConfigureAwait(false);
    }

    internal Task<ConsumerInfo> GetAsync(string stream, string consumer, CancellationToken cancellationToken)
        => api.CallAsync(About("CONSUMER.INFO", stream, consumer), default, StreamsJson.Default.ConsumerInfo, cancellationToken);

    internal Task<SuccessAnswer> DeleteAsync(string stream, string consumer, CancellationToken cancellationToken)
        => api.CallAsync(About("CONSUMER.DELETE", stream, consumer), default, StreamsJson.Default.SuccessAnswer, cancellationToken);

    internal Task<PauseAnswer> PauseAsync(string stream, string consumer, DateTimeOffset? until, CancellationToken cancellationToken)
        => api.CallAsync(
            About("CONSUMER.PAUSE", stream, consumer), new PauseRequest { PauseUntil = until }, StreamsJson.Default.PauseRequest,
            StreamsJson.Default.PauseAnswer, cancellationToken);

    internal async IAsyncEnumerable<ConsumerInfo> ListAsync(string stream, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        Names.Require(stream, nameof(stream));
        for (int offset = 0; ;)
        {
            ListAnswer<ConsumerInfo> page = await api.CallAsync(
                new ApiCall($"CONSUMER.LIST.{stream}", stream), new ListRequest { Offset = offset }, StreamsJson.Default.ListRequest,
                StreamsJson.Default.ListOfConsumers, cancellationToken).ConfigureAwait(false);
            foreach (ConsumerInfo consumer in page.Consumers ?? [])
            {
                yield return consumer;
            }

            offset += page.Consumers?.Count ?? 0;
            if (page.Consumers is not { Count: > 0 } || offset >= page.Total)
            {
                yield break;
            }
        }
    }

    internal async IAsyncEnumerable<string> ListNamesAsync(string stream, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        Names.Require(stream, nameof(stream));
        for (int offset = 0; ;)
        {
            ListAnswer<string> page = await api.CallAsync(
                new ApiCall($"CONSUMER.NAMES.{stream}", stream), new ListRequest { Offset = offset }, StreamsJson.Default.ListRequest,
                StreamsJson.Default.ListOfNames, cancellationToken).ConfigureAwait(false);
            foreach (string name in page.Consumers ?? [])
            {
                yield return name;
            }

            offset += page.Consumers?.Count ?? 0;
            if (page.Consumers is not { Count: > 0 } || offset >= page.Total)
            {
                yield break;
            }
        }
    }

    /// <summary>Returns a name that no other consumer has.</summary>
    internal static string NewName() => BrokerConnection.NewInbox("c")[2..];

    private static ApiCall About(string operation, string stream, string consumer)
    {
        Names.Require(stream, nameof(stream));
        Names.Require(consumer, nameof(consumer));
        return new ApiCall($"{operation}.{stream}.{consumer}", stream, consumer);
    }
}
