using System.Diagnostics.Metrics;

namespace Broker.Server.Telemetry;

/// <summary>
/// A server's counters as a meter of System.Diagnostics.Metrics, for OpenTelemetry and whoever else listens. The instruments read what the
/// server counts anyway, when they are asked: nothing is added to the way of a message. Names are in docs/telemetry.md. What a process
/// uses of memory and processors is in .NET's own meter <c>System.Runtime</c>.
/// </summary>
public sealed class ServerMetrics : IDisposable
{
    /// <summary>The meter's name.</summary>
    public const string MeterName = "Broker.Server";

    private readonly Meter _meter;
    private readonly KeyValuePair<string, object?>[] _tags;

    // A factory keeps its meters and disposes them itself.
    private readonly bool _isOwn;

    /// <param name="server">Whose counters. Its id is the tag <c>broker.server.id</c> of all instruments.</param>
    /// <param name="meters">Makes the meter; null for one of its own.</param>
    public ServerMetrics(BrokerServer server, IMeterFactory? meters = null)
    {
        ArgumentNullException.ThrowIfNull(server);
        // With each measurement, not once on the meter: a factory has one meter of a name for all servers.
        _tags = [new("broker.server.id", server.Inspect().Id)];
        _isOwn = meters is null;
        _meter = meters?.Create(new MeterOptions(MeterName)) ?? new Meter(MeterName);
        _meter.CreateObservableUpDownCounter("broker.connections", () => new Measurement<int>(server.Snapshot().Connections, _tags), "{connection}", "Clients connected now.");
        _meter.CreateObservableUpDownCounter("broker.subscriptions", () => new Measurement<int>(server.Snapshot().Subscriptions, _tags), "{subscription}", "Subscriptions now.");
        _meter.CreateObservableUpDownCounter(
            "broker.cached_subjects", () => new Measurement<int>(server.Inspect().Routing.CachedSubjects, _tags), "{subject}", "Subjects whose receivers are remembered.");
        Count("broker.connections.opened", "{connection}", "Clients that ever connected.", () => server.Snapshot().TotalConnections);
        Count(
            "broker.connections.refused", "{connection}", "Connections closed at once for want of file descriptors.", () => server.Inspect().RefusedConnections);
        Count("broker.slow_consumers", "{connection}", "Clients closed because they did not take what was for them.", () => server.Snapshot().SlowConsumers);
        Count("broker.messages.received", "{message}", "Messages that clients published.", () => server.Snapshot().MessagesIn);
        Count("broker.messages.sent", "{message}", "Messages that clients were sent.", () => server.Snapshot().MessagesOut);
        Count("broker.messages.dropped", "{message}", "Messages that slow clients lost.", () => server.Snapshot().Dropped);
        Count("broker.payload.received", "By", "Bytes of payloads that clients published.", () => server.Inspect().PayloadBytesIn);
        Count("broker.payload.sent", "By", "Bytes of payloads that clients were sent.", () => server.Inspect().PayloadBytesOut);
        Count("broker.received", "By", "Bytes of whole operations that clients sent.", () => server.Snapshot().BytesIn);
        Count("broker.sent", "By", "Bytes of whole messages that clients were sent.", () => server.Snapshot().BytesOut);
        Count("broker.subscription.inserts", "{subscription}", "Subscriptions that were ever made.", () => server.Inspect().Routing.Inserts);
        Count("broker.subscription.removes", "{subscription}", "Subscriptions that ended.", () => server.Inspect().Routing.Removes);
        Count("broker.route_lookups", "{lookup}", "How often a publisher had to ask where a subject goes.", () => server.Inspect().Routing.Matches);
    }

    /// <summary>Ends a meter of its own; one of a factory ends with that.</summary>
    public void Dispose()
    {
        if (_isOwn)
        {
            _meter.Dispose();
        }
    }

    private void Count(string name, string unit, string description, Func<long> read)
        => _meter.CreateObservableCounter(name, () => new Measurement<long>(read(), _tags), unit, description);
}
