using System.Diagnostics.Metrics;
using Broker.Client;

namespace Broker.Bridge;

/// <summary>
/// Publishes the counters of a bridge as a meter of System.Diagnostics.Metrics: the counters of each route and the
/// losses of the client connection. The instruments read existing counters when a listener collects them.
/// docs/telemetry.md lists the names.
/// </summary>
public sealed class BridgeMetrics : IDisposable
{
    /// <summary>The name of the meter.</summary>
    public const string MeterName = "Broker.Bridge";

    // Each reason is reported from the beginning with 0, so that a listener sees the first increment too.
    private static readonly MapStatus[] Refusals =
        [.. Enum.GetValues<MapStatus>().Where(static reason => reason is not (MapStatus.Mapped or MapStatus.OwnOrigin or MapStatus.ScratchTooSmall))];

    private readonly Meter _meter;
    private readonly ZeroMqBridge _bridge;

    // A meter factory keeps its meters and disposes of them itself.
    private readonly bool _isOwn;

    /// <param name="bridge">
    /// The bridge to measure. The tags <c>broker.route</c> and <c>broker.pattern</c> identify a route.
    /// </param>
    /// <param name="meters">The factory that creates the meter; if null, this object creates and owns a meter.</param>
    public BridgeMetrics(ZeroMqBridge bridge, IMeterFactory? meters = null)
    {
        ArgumentNullException.ThrowIfNull(bridge);
        _bridge = bridge;
        _isOwn = meters is null;
        _meter = meters?.Create(new MeterOptions(MeterName)) ?? new Meter(MeterName);
        _meter.CreateObservableUpDownCounter(
            "broker.bridge.peers", () => Each(static r => r.Peers), "{peer}", "ZeroMQ programs that are connected now.");
        Count("broker.bridge.zeromq.received", "Messages received from ZeroMQ programs.", static r => r.FromZeroMq);
        Count("broker.bridge.zeromq.sent", "Messages queued for ZeroMQ programs.", static r => r.ToZeroMq);
        Count("broker.bridge.subjects.published", "Messages published to the NATS server.", static r => r.ToSubjects);
        Count("broker.bridge.subjects.received", "Messages received from the NATS server.", static r => r.FromSubjects);
        Count(
            "broker.bridge.dropped",
            "Messages dropped because of a full queue, a missing server or a missing receiver.",
            static r => r.Dropped);
        Count("broker.bridge.refused", "Messages that cannot be mapped.", static r => r.Refused);
        _meter.CreateObservableCounter<long>(
            "broker.bridge.refused_because",
            Reasons,
            "{message}",
            "Messages of PUB/SUB routes that cannot be mapped, by reason.");
        _meter.CreateObservableCounter(
            "broker.bridge.connections.refused",
            () => _bridge.Snapshot().RefusedConnections,
            "{connection}",
            "Connections closed at once because too few file descriptors were free.");
        CountConnection(
            "broker.bridge.reconnects", "{reconnect}", "Reconnects to a NATS server.", static c => c.Reconnects);
        CountConnection(
            "broker.bridge.lost",
            "{message}",
            "Messages that were dropped from the client's buffer, and never sent, when a connection was lost.",
            static c => c.Lost);
        CountConnection(
            "broker.bridge.unconfirmed",
            "{message}",
            "Messages sent on connections that were lost before the server confirmed them.",
            static c => c.Unconfirmed);
        _meter.CreateObservableUpDownCounter(
            "broker.bridge.pending",
            () => _bridge.Snapshot().Client.PendingBytes,
            "By",
            "Bytes that wait to be sent to the NATS server.");
        _meter.CreateObservableUpDownCounter(
            "broker.bridge.connected",
            () => _bridge.Snapshot().Server is null ? 0 : 1,
            "{connection}",
            "1 while the bridge is connected to a server.");
    }

    /// <summary>Disposes of the meter if this object created it; the factory disposes of its own meters.</summary>
    public void Dispose()
    {
        if (_isOwn)
        {
            _meter.Dispose();
        }
    }

    private void Count(string name, string description, Func<RouteSnapshot, long> read)
        => _meter.CreateObservableCounter(name, () => Each(read), "{message}", description);

    private void CountConnection(string name, string unit, string description, Func<ClientStatistics, long> read)
        => _meter.CreateObservableCounter(name, () => read(_bridge.Snapshot().Client), unit, description);

    private IEnumerable<Measurement<long>> Reasons()
        => from route in _bridge.Snapshot().Routes.OfType<PubSubRouteSnapshot>()
           from reason in Refusals
           select new Measurement<long>(
               route.RefusedBecause.GetValueOrDefault(reason),
               new("broker.route", route.Name), new("broker.pattern", route.Pattern), new("broker.reason", reason.ToString()));

    private IEnumerable<Measurement<long>> Each(Func<RouteSnapshot, long> read)
        => _bridge.Snapshot().Routes.Select(r => new Measurement<long>(read(r), new("broker.route", r.Name), new("broker.pattern", r.Pattern)));
}
