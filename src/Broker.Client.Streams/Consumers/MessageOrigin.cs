namespace Broker.Client.Streams;

/// <summary>The common part of the messages of one consumer, with the destination of their acknowledgements.</summary>
/// <param name="connection">The connection that received the messages.</param>
/// <param name="timeout">How long a confirmed acknowledgement waits for its answer.</param>
/// <param name="stream">The name of the stream.</param>
/// <param name="consumer">The name of the consumer.</param>
/// <param name="prefix">The reply subjects up to the numbers, with the dot before them.</param>
internal sealed class MessageOrigin(BrokerConnection connection, TimeSpan timeout, string stream, string consumer, byte[] prefix)
{
    internal BrokerConnection Connection => connection;

    internal TimeSpan Timeout => timeout;

    internal string Stream => stream;

    internal string Consumer => consumer;

    internal ReadOnlySpan<byte> Prefix => prefix;
}
