namespace Broker.Client.Streams;

/// <summary>The common part of the messages of one consumer, with the destination of their acknowledgements.</summary>
/// <param name="api">The connection that received the messages, and the time limit of confirmed
/// acknowledgements.</param>
/// <param name="stream">The name of the stream.</param>
/// <param name="consumer">The name of the consumer.</param>
/// <param name="prefix">The reply subjects up to the numbers, with the dot before them.</param>
internal sealed class MessageOrigin(StreamsApi api, string stream, string consumer, byte[] prefix)
{
    internal BrokerConnection Connection => api.Connection;

    internal TimeSpan Timeout => api.Timeout;

    internal StreamsCounters Counters => api.Counters;

    internal StreamsTracer? Tracer => api.Tracer;

    internal string Stream => stream;

    internal string Consumer => consumer;

    internal ReadOnlySpan<byte> Prefix => prefix;
}
