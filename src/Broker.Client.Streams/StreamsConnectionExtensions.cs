namespace Broker.Client.Streams;

/// <summary>Begins the use of streams on a connection.</summary>
public static class StreamsConnectionExtensions
{
    /// <summary>
    /// Creates a client of the streams that a connection reaches. Create one for a connection and keep it: all messages
    /// that are published through it share one subscription for their acknowledgements.
    /// </summary>
    /// <param name="connection">The connection. It stays open when the client is disposed.</param>
    /// <param name="options">The options. Null for the defaults.</param>
    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    /// <example><code>
    /// using var streams = nats.Streams();
    /// await streams.CreateOrUpdateStreamAsync(new StreamConfig("ORDERS", "orders.>"));
    /// </code></example>
    public static StreamsClient Streams(this BrokerConnection connection, StreamsOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(connection);
        options ??= new StreamsOptions();
        options.Validate();
        return new StreamsClient(connection, options);
    }
}
