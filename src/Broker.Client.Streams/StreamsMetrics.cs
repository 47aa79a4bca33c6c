using System.Diagnostics.Metrics;

namespace Broker.Client.Streams;

/// <summary>
/// Exposes the counters of a client of streams as a meter of System.Diagnostics.Metrics. Most instruments read existing
/// counters when they are collected. The two histograms cost nothing while nobody listens to them.
/// docs/streams-client.md lists all instruments.
/// </summary>
public sealed class StreamsMetrics : IStreamsHistograms, IDisposable
{
    /// <summary>The name of the meter.</summary>
    public const string MeterName = "Broker.Client.Streams";

    private readonly StreamsClient _client;
    private readonly Meter _meter;
    private readonly KeyValuePair<string, object?>[] _tags;
    private readonly Histogram<double> _publishes;
    private readonly Histogram<double> _silences;

    // A meter factory owns and disposes its meters.
    private readonly bool _isOwn;

    /// <param name="client">The client with the counters. The histograms belong to the last meter that was created for
    /// it.</param>
    /// <param name="name">Distinguishes clients: the value of the tag <c>broker.client.name</c> of all
    /// instruments.</param>
    /// <param name="meters">Creates the meter. Null to create one directly.</param>
    public StreamsMetrics(StreamsClient client, string name = "default", IMeterFactory? meters = null)
    {
        ArgumentNullException.ThrowIfNull(client);
        ArgumentNullException.ThrowIfNull(name);
        _client = client;
        // The tags are passed with each measurement and not to the meter, because a factory returns the same meter for
        // all clients.
        _tags = [new("messaging.system", "nats"), new("broker.client.name", name)];
        _isOwn = meters is null;
        _meter = meters?.Create(new MeterOptions(MeterName)) ?? new Meter(MeterName);
        _publishes = _meter.CreateHistogram<double>("messaging.client.operation.duration", "s", "Time from a publish to its outcome.");
        _silences = _meter.CreateHistogram<double>("broker.client.streams.silence", "s", "Time from the loss of a server to the first sign of a consumer.");
        CountPublishes();
        CountConsumers();
        client.Counters.Histograms = this;
    }

    /// <summary>Whether a meter is that of this object. A meter of a factory may belong to others too.</summary>
    internal bool Owns(Meter meter) => meter == _meter;

    bool IStreamsHistograms.MeasuresPublishes => _publishes.Enabled;

    /// <summary>Disposes the meter, unless a factory owns it.</summary>
    public void Dispose()
    {
        if (_client.Counters.Histograms == this)
        {
            _client.Counters.Histograms = null;
        }

        if (_isOwn)
        {
            _meter.Dispose();
        }
    }

    void IStreamsHistograms.RecordPublish(TimeSpan duration, Exception? failure)
        => _publishes.Record(
            duration.TotalSeconds,
            failure is null
                ? [.. _tags, new("messaging.operation.name", "publish")]
                : [.. _tags, new("messaging.operation.name", "publish"), new("error.type", failure.GetType().FullName)]);

    void IStreamsHistograms.RecordSilence(TimeSpan duration) => _silences.Record(duration.TotalSeconds, _tags);

    private void CountPublishes()
    {
        Count("broker.client.streams.acknowledged", "{message}", "Published messages that a stream has acknowledged.", static s => s.Acknowledged);
        Count("broker.client.streams.duplicates", "{message}", "Published messages that the stream had stored before.", static s => s.Duplicates);
        Count("broker.client.streams.refused", "{message}", "Published messages that were not stored.", static s => s.Refused);
        Count("broker.client.streams.unknown", "{message}", "Published messages whose outcome is unknown.", static s => s.UnknownOutcomes);
        Count("broker.client.streams.repeats", "{message}", "Times that a published message was sent again.", static s => s.Repeats);
        Gauge("broker.client.streams.in_flight", "Published messages that wait for their acknowledgement.", static s => s.InFlight);
    }

    private void CountConsumers()
    {
        Count("broker.client.streams.received", "{message}", "Messages that consumers have delivered.", static s => s.Received);
        Count("broker.client.streams.redelivered", "{message}", "Messages that had been delivered before.", static s => s.Redelivered);
        Gauge("broker.client.streams.pending", "Messages that are queued or in the hands of a reader.", static s => s.Pending);
        _meter.CreateObservableCounter("broker.client.streams.acknowledgements", ReadAcknowledgements, "{acknowledgement}", "Acknowledgements accepted for sending.");
        Count("broker.client.streams.pulls", "{request}", "Requests for messages that were sent to consumers.", static s => s.Pulls);
        Count("broker.client.streams.recreated", "{consumer}", "Consumers that were created again.", static s => s.Recreated);
        Count("broker.client.streams.resumptions", "{resumption}", "Times that the reading of a consumer went on after the loss of its server.", static s => s.Resumptions);
    }

    private Measurement<long>[] ReadAcknowledgements()
    {
        StreamsStatistics statistics = _client.GetStatistics();
        return [Of(statistics.Acks, "ack"), Of(statistics.Naks, "nak"), Of(statistics.Terminations, "term"), Of(statistics.ProgressReports, "progress")];
    }

    private Measurement<long> Of(long value, string kind) => new(value, [.. _tags, new("broker.acknowledgement", kind)]);

    private void Count(string name, string unit, string description, Func<StreamsStatistics, long> read)
        => _meter.CreateObservableCounter(name, () => new Measurement<long>(read(_client.GetStatistics()), _tags), unit, description);

    private void Gauge(string name, string description, Func<StreamsStatistics, long> read)
        => _meter.CreateObservableUpDownCounter(name, () => new Measurement<long>(read(_client.GetStatistics()), _tags), "{message}", description);
}
