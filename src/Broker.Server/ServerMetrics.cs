using System.Diagnostics.Metrics;

namespace Broker.Server;

/// <summary>
/// Publishes a server's counters as a meter of System.Diagnostics.Metrics, for OpenTelemetry and other listeners. The
/// instruments read counters that the server maintains in any case, so they add no work for a message.
/// docs/telemetry.md lists the names. .NET's own meter <c>System.Runtime</c> reports the memory and CPU time of the
/// process.
/// </summary>
public sealed class ServerMetrics : IDisposable
{
    /// <summary>The meter's name.</summary>
    public const string MeterName = "Broker.Server";

    private readonly Meter _meter;
    private readonly KeyValuePair<string, object?>[] _tags;

    // A factory owns its meters and disposes them itself.
    private readonly bool _isOwn;

    /// <summary>Creates the meter and its instruments.</summary>
    /// <param name="server">
    /// The server whose counters are published. Its id is the tag <c>broker.server.id</c> of all instruments.
    /// </param>
    /// <param name="meters">
    /// The factory that creates the meter. If it is null, the instance creates and owns the meter.
    /// </param>
    public ServerMetrics(BrokerServer server, IMeterFactory? meters = null)
    {
        ArgumentNullException.ThrowIfNull(server);
        // Each measurement has the tag. A tag of the meter would not suffice, because a factory creates only one meter
        // of this name for all servers.
        _tags = [new("broker.server.id", server.Inspect().Id)];
        _isOwn = meters is null;
        _meter = meters?.Create(new MeterOptions(MeterName)) ?? new Meter(MeterName);
        Show("broker.connections", "{connection}", "Open client connections.", () => server.Snapshot().Connections);
        Show("broker.subscriptions", "{subscription}", "Current subscriptions.", () => server.Snapshot().Subscriptions);
        Show(
            "broker.cached_subjects", "{subject}", "Subjects whose subscribers are cached.",
            () => server.Inspect().Routing.CachedSubjects);
        Count(
            "broker.connections.opened", "{connection}", "Client connections that were ever opened.",
            () => server.Snapshot().TotalConnections);
        Count(
            "broker.connections.refused", "{connection}", "Connections closed because too few file descriptors were free.",
            () => server.Inspect().RefusedConnections);
        Count(
            "broker.slow_consumers", "{connection}", "Clients that were disconnected as slow consumers.",
            () => server.Snapshot().SlowConsumers);
        Count(
            "broker.stalls", "{stall}", "Times that a client was slowed down because a subscriber read too slowly.",
            () => server.Snapshot().Stalls);
        Count(
            "broker.messages.received", "{message}", "Messages that clients published.",
            () => server.Snapshot().MessagesIn);
        Count(
            "broker.messages.sent", "{message}", "Messages that were sent to clients.",
            () => server.Snapshot().MessagesOut);
        Count(
            "broker.messages.dropped", "{message}", "Messages that slow clients lost.",
            () => server.Snapshot().Dropped);
        Count(
            "broker.payload.received", "By", "Payload bytes that clients published.",
            () => server.Inspect().PayloadBytesIn);
        Count(
            "broker.payload.sent", "By", "Payload bytes that were sent to clients.",
            () => server.Inspect().PayloadBytesOut);
        Count("broker.received", "By", "Bytes of whole operations that clients sent.", () => server.Snapshot().BytesIn);
        Count(
            "broker.sent", "By", "Bytes of whole messages that were sent to clients.",
            () => server.Snapshot().BytesOut);
        Count(
            "broker.subscription.inserts", "{subscription}", "Subscriptions that were ever made.",
            () => server.Inspect().Routing.Inserts);
        Count(
            "broker.subscription.removes", "{subscription}", "Subscriptions that were removed.",
            () => server.Inspect().Routing.Removes);
        Count(
            "broker.route_lookups", "{lookup}", "Lookups of the subscribers of a subject.",
            () => server.Inspect().Routing.Matches);
        if (server.Inspect().Streams is not null)
        {
            ShowStreams(() => server.Inspect().Streams!);
        }
    }

    /// <summary>Disposes the meter if this instance owns it. The meter of a factory is not disposed.</summary>
    public void Dispose()
    {
        if (_isOwn)
        {
            _meter.Dispose();
        }
    }

    private void ShowStreams(Func<StreamsDescription> streams)
    {
        Show("broker.streams", "{stream}", "Streams.", () => streams().Streams);
        Show("broker.streams.damaged", "{stream}", "Streams that are damaged.", () => streams().DamagedStreams);
        Show("broker.streams.consumers", "{consumer}", "Consumers of streams.", () => streams().Consumers);
        Show("broker.streams.messages", "{message}", "Messages in streams.", () => streams().Messages);
        Show("broker.streams.file", "By", "Bytes of messages in streams on the disk.", () => streams().File);
        Show("broker.streams.memory", "By", "Bytes of messages in streams in memory.", () => streams().Memory);
        Show("broker.streams.pending", "{message}", "Delivered messages that wait for their acknowledgement.", () => streams().Pending);
        Count("broker.streams.delivered", "{message}", "Messages that consumers have delivered.", () => streams().Delivered);
        Count(
            "broker.streams.acknowledged", "{message}", "Delivered messages that were acknowledged or terminated.",
            () => streams().Acknowledged);
        Count("broker.streams.requests", "{request}", "Requests to the JetStream API.", () => streams().Requests);
        Count("broker.streams.errors", "{request}", "Requests to the JetStream API that were refused.", () => streams().Errors);
    }

    private void Show(string name, string unit, string description, Func<long> value)
        => _meter.CreateObservableUpDownCounter(name, () => new Measurement<long>(value(), _tags), unit, description);

    private void Count(string name, string unit, string description, Func<long> read)
        => _meter.CreateObservableCounter(name, () => new Measurement<long>(read(), _tags), unit, description);
}
