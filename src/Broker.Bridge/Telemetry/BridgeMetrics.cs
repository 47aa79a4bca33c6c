using System.Diagnostics.Metrics;
using Broker.Bridge.Mapping;
using Broker.Bridge.PubSub;
using Broker.Bridge.Routes;
using Broker.Client;

namespace Broker.Bridge.Telemetry;

/// <summary>
/// A bridge's counters as a meter of System.Diagnostics.Metrics: its ZeroMQ side and its subjects, route by route, and what its connection has lost. The
/// instruments read what is counted anyway, when they are asked. Names are in docs/telemetry.md.
/// </summary>
public sealed class BridgeMetrics : IDisposable
{
    /// <summary>The meter's name.</summary>
    public const string MeterName = "Broker.Bridge";

    // A counter that begins at 0 shows its first step too.
    private static readonly MapStatus[] Refusals =
        [.. Enum.GetValues<MapStatus>().Where(static reason => reason is not (MapStatus.Mapped or MapStatus.OwnOrigin or MapStatus.ScratchTooSmall))];

    private readonly Meter _meter;
    private readonly ZeroMqBridge _bridge;

    // A factory keeps its meters and disposes them itself.
    private readonly bool _isOwn;

    /// <param name="bridge">Whose counters. Routes are told apart by the tags <c>broker.route</c> and <c>broker.pattern</c>.</param>
    /// <param name="meters">Makes the meter; null for one of its own.</param>
    public BridgeMetrics(ZeroMqBridge bridge, IMeterFactory? meters = null)
    {
        ArgumentNullException.ThrowIfNull(bridge);
        _bridge = bridge;
        _isOwn = meters is null;
        _meter = meters?.Create(new MeterOptions(MeterName)) ?? new Meter(MeterName);
        _meter.CreateObservableUpDownCounter("broker.bridge.peers", () => Each(static r => r.Peers), "{peer}", "ZeroMQ programs connected now.");
        Count("broker.bridge.zeromq.received", "Messages that came from ZeroMQ programs.", static r => r.FromZeroMq);
        Count("broker.bridge.zeromq.sent", "Messages queued for ZeroMQ programs.", static r => r.ToZeroMq);
        Count("broker.bridge.subjects.published", "Messages that were published.", static r => r.ToSubjects);
        Count("broker.bridge.subjects.received", "Messages that came from the server.", static r => r.FromSubjects);
        Count("broker.bridge.dropped", "Messages lost for want of room, of a server, or of a taker.", static r => r.Dropped);
        Count("broker.bridge.refused", "Messages that cannot be mapped.", static r => r.Refused);
        _meter.CreateObservableCounter<long>("broker.bridge.refused_because", Reasons, "{message}", "Messages of PUB/SUB routes that cannot be mapped, by reason.");
        _meter.CreateObservableCounter(
            "broker.bridge.connections.refused",
            () => _bridge.Snapshot().RefusedConnections,
            "{connection}",
            "Connections closed at once for want of file descriptors.");
        CountConnection("broker.bridge.reconnects", "{reconnect}", "How often a server was found again.", static c => c.Reconnects);
        CountConnection("broker.bridge.lost", "{message}", "Messages that were published and certainly not sent, since the server was lost.", static c => c.Lost);
        CountConnection(
            "broker.bridge.unconfirmed", "{message}", "Messages sent to servers that were lost before they had confirmed them.", static c => c.Unconfirmed);
        _meter.CreateObservableUpDownCounter(
            "broker.bridge.pending", () => _bridge.Snapshot().Client.PendingBytes, "By", "What waits to be sent to the server.");
        _meter.CreateObservableUpDownCounter(
            "broker.bridge.connected", () => _bridge.Snapshot().Server is null ? 0 : 1, "{connection}", "1 while there is a server.");
    }

    /// <summary>Ends a meter of its own; one of a factory ends with that.</summary>
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
