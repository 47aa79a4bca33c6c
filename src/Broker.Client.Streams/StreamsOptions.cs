namespace Broker.Client.Streams;

/// <summary>The options of <see cref="StreamsClient"/>.</summary>
public sealed record StreamsOptions
{
    internal const string DefaultApiPrefix = "$JS.API";

    /// <summary>
    /// The JetStream domain whose streams are used, for example through a leaf node. Null for the domain of the server
    /// that is connected.
    /// </summary>
    public string? Domain { get; init; }

    /// <summary>
    /// The beginning of the subjects of requests, without a dot at the end. Null for the usual one, <c>$JS.API</c>, or
    /// <c>$JS.DOMAIN.API</c> with a <see cref="Domain"/>. An account that imports the streams of another account may
    /// need another one.
    /// </summary>
    public string? ApiPrefix { get; init; }

    /// <summary>How long a request about streams or consumers waits for its answer. Default 5 s.</summary>
    public TimeSpan RequestTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// How long a published message waits for its acknowledgement before <see cref="UnknownOutcomeException"/>. An
    /// outage counts. Default 5 s.
    /// </summary>
    public TimeSpan AcknowledgementTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// How often a message is sent again if no stream answers for its subject. This covers a stream whose server is
    /// starting or whose leader changes. The message is not stored meanwhile, so this does not duplicate it. Default 2.
    /// </summary>
    public int NoStreamRetries { get; init; } = 2;

    /// <summary>The pause before each of the <see cref="NoStreamRetries"/>. Default 250 ms.</summary>
    public TimeSpan NoStreamRetryWait { get; init; } = TimeSpan.FromMilliseconds(250);

    /// <summary>
    /// The largest number of published messages that wait for their acknowledgements. Further messages wait until one
    /// of these is acknowledged. At most 65,536. Default 4,096.
    /// </summary>
    public int MaxPublishesInFlight { get; init; } = 4096;

    /// <summary>
    /// The largest size of published messages that wait for their acknowledgements, in bytes with headers. Further
    /// messages wait. A single larger message waits until no other message is in flight. Default 64 MiB.
    /// </summary>
    public long MaxPublishBytesInFlight { get; init; } = 64L * 1024 * 1024;

    /// <summary>
    /// Whether the client creates spans (<see cref="StreamsActivities.SourceName"/>) for
    /// <see cref="StreamsClient.PublishAsync"/>, from the call to its outcome, and for messages with
    /// <see cref="StreamMessage.StartActivity"/>. The trace context is in the headers <c>traceparent</c> and
    /// <c>tracestate</c>. Without a listener, no header is added and the cost is one check. Default false.
    /// </summary>
    public bool Tracing { get; init; }

    internal string Prefix => ApiPrefix ?? (Domain is null ? DefaultApiPrefix : $"$JS.{Domain}.API");

    internal void Validate()
    {
        if (Domain is not null)
        {
            Names.Require(Domain, nameof(Domain));
        }

        if (Domain is not null && ApiPrefix is not null)
        {
            throw new ArgumentException($"Domain ('{Domain}') and ApiPrefix ('{ApiPrefix}') exclude each other: the domain is a part of the prefix.", nameof(ApiPrefix));
        }

        Names.RequirePrefix(Prefix, nameof(ApiPrefix));
        Require(RequestTimeout > TimeSpan.Zero && RequestTimeout <= TimeSpan.FromDays(1), nameof(RequestTimeout), RequestTimeout, "positive and at most one day");
        Require(
            AcknowledgementTimeout > TimeSpan.Zero && AcknowledgementTimeout <= TimeSpan.FromDays(1),
            nameof(AcknowledgementTimeout), AcknowledgementTimeout, "positive and at most one day");
        Require(NoStreamRetries is >= 0 and <= 1000, nameof(NoStreamRetries), NoStreamRetries, "from 0 to 1,000");
        Require(
            NoStreamRetryWait >= TimeSpan.FromMilliseconds(1) && NoStreamRetryWait <= TimeSpan.FromHours(1),
            nameof(NoStreamRetryWait), NoStreamRetryWait, "from 1 ms to 1 hour");
        Require(MaxPublishesInFlight is >= 1 and <= 65_536, nameof(MaxPublishesInFlight), MaxPublishesInFlight, "from 1 to 65,536");
        Require(MaxPublishBytesInFlight >= 1, nameof(MaxPublishBytesInFlight), MaxPublishBytesInFlight, "positive");
    }

    private static void Require(bool holds, string option, object value, string range)
    {
        if (!holds)
        {
            throw new ArgumentOutOfRangeException(option, value, $"{option} must be {range}.");
        }
    }
}
