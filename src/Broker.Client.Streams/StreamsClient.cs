namespace Broker.Client.Streams;

/// <summary>
/// Publishes to streams with acknowledgement, reads their messages, and manages streams and consumers. Thread-safe.
/// </summary>
/// <remarks>
/// <para>Requests fail with <see cref="StreamException"/> if the server refuses them, with
/// <see cref="StreamsUnavailableException"/> if no server has streams, with <see cref="TimeoutException"/> if no answer
/// comes within <see cref="StreamsOptions.RequestTimeout"/>, and with <see cref="ConnectionLostException"/> if no
/// server is connected.</para>
/// <para>The client may be used until its connection is closed. Disposing it earlier gives back its subscriptions;
/// messages in flight then end with <see cref="UnknownOutcomeException"/>.</para>
/// </remarks>
public sealed partial class StreamsClient : IDisposable
{
    private readonly StreamsApi _api;
    private readonly StreamManager _streams;
    private readonly ConsumerManager _consumers;
    private readonly NextSlots _nextSlots;
    private readonly AckedPublisher _publisher;
    private readonly TracedPublisher? _tracedPublisher;
    private readonly BucketManager _buckets;
    private readonly ObjectStoreManager _objects;

    internal StreamsClient(BrokerConnection connection, StreamsOptions options)
    {
        Connection = connection;
        _api = new StreamsApi(connection, options.Prefix, options.RequestTimeout) { Tracer = options.Tracing ? new StreamsTracer() : null };
        _streams = new StreamManager(_api);
        _consumers = new ConsumerManager(_api);
        _nextSlots = new NextSlots(_api);
        _publisher = new AckedPublisher(
            connection,
            new PublishLimits(
                options.MaxPublishesInFlight, options.MaxPublishBytesInFlight, options.AcknowledgementTimeout, options.NoStreamRetries, options.NoStreamRetryWait),
            _api.Counters);
        _tracedPublisher = _api.Tracer is { } tracer ? new TracedPublisher(_publisher, tracer) : null;
        _buckets = new BucketManager(_api, _streams, _consumers, _publisher);
        _objects = new ObjectStoreManager(_api, _streams, _consumers, _publisher);
    }

    /// <summary>The connection that the client uses.</summary>
    public BrokerConnection Connection { get; }

    internal StreamsCounters Counters => _api.Counters;

    /// <summary>Reads the counters. May be called on any thread.</summary>
    public StreamsStatistics GetStatistics() => _api.Counters.Read(_publisher.Pending);

    /// <summary>Publishes a message and waits until a stream has stored it.</summary>
    /// <remarks>
    /// Many messages may be in flight: start further ones before awaiting the first. They are stored in the order of
    /// the calls, over a reconnect too. Only a message that is sent again because no stream answered for its subject
    /// (<see cref="StreamsOptions.NoStreamRetries"/>) may be stored after later ones. Beyond
    /// <see cref="StreamsOptions.MaxPublishesInFlight"/> and <see cref="StreamsOptions.MaxPublishBytesInFlight"/> a
    /// message waits before it is sent.
    /// </remarks>
    /// <param name="subject">The subject: tokens separated by dots, without white space or wildcards.</param>
    /// <param name="body">The body. It must not change before the task has completed.</param>
    /// <param name="options">The id of the message, and what the stream checks. Default: nothing.</param>
    /// <param name="headers">A complete header block, which must not change before the task has completed. Empty for
    /// none.</param>
    /// <param name="cancellationToken">Ends the wait. The message may be stored nevertheless.</param>
    /// <returns>The place of the message. If the stream had the message's id already,
    /// <see cref="PublishAck.IsDuplicate"/> is true.</returns>
    /// <exception cref="NoStreamException">No stream has the subject, after
    /// <see cref="StreamsOptions.NoStreamRetries"/>.</exception>
    /// <exception cref="UnknownOutcomeException">No acknowledgement came. The message may be stored or not.</exception>
    /// <exception cref="StreamException">The stream refused the message.</exception>
    /// <exception cref="PublishRefusedException">The connection refused the message: it is too large, for
    /// example.</exception>
    /// <exception cref="ConnectionLostException">The connection is closed.</exception>
    /// <exception cref="ArgumentException">The subject, the headers or an option is not valid.</exception>
    /// <example><code>
    /// PublishAck ack = await streams.PublishAsync("orders.new", "one"u8.ToArray());
    /// Console.WriteLine($"{ack.Stream} has stored the message as number {ack.Sequence}");
    /// </code></example>
    public ValueTask<PublishAck> PublishAsync(
        string subject, ReadOnlyMemory<byte> body, StreamPublishOptions options = default, ReadOnlyMemory<byte> headers = default,
        CancellationToken cancellationToken = default)
        => _tracedPublisher is { HasListeners: true } traced
            ? traced.PublishAsync(subject, body, in options, headers, cancellationToken)
            : _publisher.PublishAsync(subject, body, in options, headers, cancellationToken);

    /// <summary>Ends all messages in flight and gives back the subscription. The connection stays open.</summary>
    public void Dispose()
    {
        _publisher.Dispose();
        _nextSlots.Close();
        _api.Tracer?.Dispose();
    }
}
