namespace Broker.Client.Streams;

public sealed partial class StreamsClient
{
    /// <summary>Creates a consumer. It has no effect if the consumer exists with the same configuration.</summary>
    /// <param name="stream">The name of the stream.</param>
    /// <param name="config">The configuration. A consumer without a name gets one.</param>
    /// <param name="cancellationToken">Ends the wait. The server may create the consumer nevertheless.</param>
    /// <exception cref="StreamException">The consumer exists with another configuration, there is no such stream, or
    /// the server refused the configuration.</exception>
    /// <example><code>
    /// StreamConsumer consumer = await streams.CreateConsumerAsync("ORDERS", new ConsumerConfig("billing"));
    /// await foreach (StreamMessage message in consumer.ConsumeAsync())
    /// {
    ///     Console.WriteLine(message.Subject);
    ///     await message.AckAsync();
    /// }
    /// </code></example>
    public async Task<StreamConsumer> CreateConsumerAsync(string stream, ConsumerConfig config, CancellationToken cancellationToken = default)
        => new(_consumers, _nextSlots, await _consumers.ChangeAsync(stream, config, "create", cancellationToken).ConfigureAwait(false));

    /// <summary>Changes the configuration of a consumer. nats-server 2.9 creates a missing one.</summary>
    /// <param name="stream">The name of the stream.</param>
    /// <param name="config">The whole new configuration, with its name.</param>
    /// <param name="cancellationToken">Ends the wait. The server may change the consumer nevertheless.</param>
    /// <exception cref="StreamException">There is no such stream or consumer, or the server refused the
    /// change.</exception>
    public async Task<StreamConsumer> UpdateConsumerAsync(string stream, ConsumerConfig config, CancellationToken cancellationToken = default)
        => new(_consumers, _nextSlots, await _consumers.ChangeAsync(stream, config, "update", cancellationToken).ConfigureAwait(false));

    /// <summary>Creates a consumer, or changes the consumer of this name.</summary>
    /// <param name="stream">The name of the stream.</param>
    /// <param name="config">The whole configuration. A consumer without a name gets one.</param>
    /// <param name="cancellationToken">Ends the wait. The server may do it nevertheless.</param>
    /// <exception cref="StreamException">There is no such stream, or the server refused the configuration.</exception>
    public async Task<StreamConsumer> CreateOrUpdateConsumerAsync(string stream, ConsumerConfig config, CancellationToken cancellationToken = default)
        => new(_consumers, _nextSlots, await _consumers.ChangeAsync(stream, config, null, cancellationToken).ConfigureAwait(false));

    /// <summary>Returns a consumer to read from.</summary>
    /// <param name="stream">The name of the stream.</param>
    /// <param name="consumer">The name of the consumer.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="StreamException">There is no such stream or consumer.</exception>
    public async Task<StreamConsumer> GetConsumerAsync(string stream, string consumer, CancellationToken cancellationToken = default)
        => new(_consumers, _nextSlots, await _consumers.GetAsync(stream, consumer, cancellationToken).ConfigureAwait(false));

    /// <summary>
    /// Reads the messages of a stream in order, without gaps and without acknowledgements. The server keeps nothing for
    /// the reader when it ends.
    /// </summary>
    /// <remarks>
    /// After a gap, a silent server or a reconnect, the reader goes on with the message after the last one. The server
    /// sends only as much as the reader takes, at most 32 MiB ahead.
    /// </remarks>
    /// <param name="stream">The name of the stream.</param>
    /// <param name="options">The first message and the subjects. Null for the whole stream.</param>
    /// <param name="cancellationToken">Ends the enumeration at once, with
    /// <see cref="OperationCanceledException"/>.</param>
    /// <exception cref="StreamException">There is no such stream, or the connection was closed.</exception>
    /// <exception cref="ArgumentException">The name or an option is not valid.</exception>
    /// <example><code>
    /// await foreach (StreamMessage message in streams.ReadOrderedAsync("ORDERS"))
    /// {
    ///     Console.WriteLine(message.Subject);
    /// }
    /// </code></example>
    public IAsyncEnumerable<StreamMessage> ReadOrderedAsync(string stream, OrderedOptions? options = null, CancellationToken cancellationToken = default)
    {
        Names.Require(stream, nameof(stream));
        options ??= new OrderedOptions();
        options.Validate();
        return new OrderedReader(_consumers, stream, options.ToConfig(), options.IdleHeartbeat).ReadAsync(cancellationToken);
    }

    /// <summary>Returns the configuration and the progress of a consumer.</summary>
    /// <param name="stream">The name of the stream.</param>
    /// <param name="consumer">The name of the consumer.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="StreamException">There is no such stream or consumer.</exception>
    public Task<ConsumerInfo> GetConsumerInfoAsync(string stream, string consumer, CancellationToken cancellationToken = default)
        => _consumers.GetAsync(stream, consumer, cancellationToken);

    /// <summary>
    /// Returns the configuration and the progress of a consumer, or null if there is no such consumer or stream.
    /// </summary>
    /// <param name="stream">The name of the stream.</param>
    /// <param name="consumer">The name of the consumer.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public async Task<ConsumerInfo?> FindConsumerInfoAsync(string stream, string consumer, CancellationToken cancellationToken = default)
    {
        try
        {
            return await _consumers.GetAsync(stream, consumer, cancellationToken).ConfigureAwait(false);
        }
        catch (StreamException e) when (e.Code is StreamErrorCode.ConsumerNotFound or StreamErrorCode.StreamNotFound)
        {
            return null;
        }
    }

    /// <summary>Lists the consumers of a stream. The server sends them in pages.</summary>
    /// <param name="stream">The name of the stream.</param>
    /// <param name="cancellationToken">Ends the list.</param>
    /// <exception cref="StreamException">There is no such stream.</exception>
    public IAsyncEnumerable<ConsumerInfo> ListConsumersAsync(string stream, CancellationToken cancellationToken = default)
        => _consumers.ListAsync(stream, cancellationToken);

    /// <summary>Lists the names of a stream's consumers.</summary>
    /// <inheritdoc cref="ListConsumersAsync"/>
    public IAsyncEnumerable<string> ListConsumerNamesAsync(string stream, CancellationToken cancellationToken = default)
        => _consumers.ListNamesAsync(stream, cancellationToken);

    /// <summary>Deletes a consumer.</summary>
    /// <param name="stream">The name of the stream.</param>
    /// <param name="consumer">The name of the consumer.</param>
    /// <param name="cancellationToken">Ends the wait. The server may delete the consumer nevertheless.</param>
    /// <returns>False if there was no such consumer.</returns>
    /// <exception cref="StreamException">There is no such stream.</exception>
    public async Task<bool> DeleteConsumerAsync(string stream, string consumer, CancellationToken cancellationToken = default)
    {
        try
        {
            return (await _consumers.DeleteAsync(stream, consumer, cancellationToken).ConfigureAwait(false)).Success;
        }
        catch (StreamException e) when (e.Code == StreamErrorCode.ConsumerNotFound)
        {
            return false;
        }
    }

    /// <summary>Pauses the deliveries of a consumer. Needs nats-server 2.11.</summary>
    /// <param name="stream">The name of the stream.</param>
    /// <param name="consumer">The name of the consumer.</param>
    /// <param name="until">When the consumer resumes by itself.</param>
    /// <param name="cancellationToken">Ends the wait. The server may pause the consumer nevertheless.</param>
    /// <returns>Whether the consumer is paused: false if the time has passed already.</returns>
    /// <exception cref="StreamException">There is no such stream or consumer.</exception>
    /// <exception cref="StreamsUnavailableException">The server does not know the request.</exception>
    public async Task<bool> PauseConsumerAsync(string stream, string consumer, DateTimeOffset until, CancellationToken cancellationToken = default)
        => (await _consumers.PauseAsync(stream, consumer, until, cancellationToken).ConfigureAwait(false)).Paused;

    /// <summary>Resumes the deliveries of a paused consumer. Needs nats-server 2.11.</summary>
    /// <param name="stream">The name of the stream.</param>
    /// <param name="consumer">The name of the consumer.</param>
    /// <param name="cancellationToken">Ends the wait. The server may resume the consumer nevertheless.</param>
    /// <exception cref="StreamException">There is no such stream or consumer.</exception>
    /// <exception cref="StreamsUnavailableException">The server does not know the request.</exception>
    public Task ResumeConsumerAsync(string stream, string consumer, CancellationToken cancellationToken = default)
        => _consumers.PauseAsync(stream, consumer, null, cancellationToken);
}
