using System.Diagnostics.Metrics;
using Broker.Bridge.Routes;

namespace Broker.Bridge.Telemetry;

/// <summary>
/// A bridge's counters as a meter of System.Diagnostics.Metrics, its ZeroMQ side and its subjects, route by route. The instruments read what
/// the routes count anyway, when they are asked. Names are in docs/telemetry.md.
/// </summary>
public sealed class BridgeMetrics : IDisposable
{
    /// <summary>The meter's name.</summary>
    public const string MeterName = "Broker.Bridge";

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

    private IEnumerable<Measurement<long>> Each(Func<RouteSnapshot, long> read)
        => _bridge.Snapshot().Routes.Select(r => new Measurement<long>(read(r), new("broker.route", r.Name), new("broker.pattern", r.Pattern)));
}
