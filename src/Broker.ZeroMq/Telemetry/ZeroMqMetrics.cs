using System.Diagnostics.Metrics;
using Broker.ZeroMq.Sockets;

namespace Broker.ZeroMq.Telemetry;

/// <summary>
/// A socket's counters as a meter of System.Diagnostics.Metrics. The instruments read what the socket counts anyway, when they are asked.
/// Names are in docs/telemetry.md.
/// </summary>
public sealed class ZeroMqMetrics : IDisposable
{
    /// <summary>The meter's name.</summary>
    public const string MeterName = "Broker.ZeroMq";

    private readonly Meter _meter;
    private readonly KeyValuePair<string, object?>[] _tags;

    // A factory keeps its meters and disposes them itself.
    private readonly bool _isOwn;

    /// <param name="socket">Whose counters.</param>
    /// <param name="name">Tells sockets apart: the tag <c>broker.zeromq.socket</c> of all instruments.</param>
    /// <param name="meters">Makes the meter; null for one of its own.</param>
    public ZeroMqMetrics(MessageSocket socket, string name, IMeterFactory? meters = null)
        : this((socket ?? throw new ArgumentNullException(nameof(socket))).GetCounts, socket.LoopSocket, name, meters)
    {
    }

    /// <param name="socket">Whose counters.</param>
    /// <param name="name">Tells sockets apart: the tag <c>broker.zeromq.socket</c> of all instruments.</param>
    /// <param name="meters">Makes the meter; null for one of its own.</param>
    public ZeroMqMetrics(LoopSocket socket, string name, IMeterFactory? meters = null)
        : this((socket ?? throw new ArgumentNullException(nameof(socket))).GetCounts, socket, name, meters)
    {
    }

    private ZeroMqMetrics(Func<ZeroMqCounts> counts, LoopSocket socket, string name, IMeterFactory? meters)
    {
        ArgumentNullException.ThrowIfNull(name);
        // With each measurement, not once on the meter: a factory has one meter of a name for all sockets.
        _tags = [new("broker.zeromq.socket", name), new("broker.zeromq.type", socket.SocketType.ToString().ToLowerInvariant())];
        _isOwn = meters is null;
        _meter = meters?.Create(new MeterOptions(MeterName)) ?? new Meter(MeterName);
        _meter.CreateObservableUpDownCounter("broker.zeromq.peers", () => Measure(counts().Peers), "{peer}", "Peers connected now.");
        _meter.CreateObservableUpDownCounter("broker.zeromq.pending", () => Measure(counts().PendingBytes), "By", "What waits for peers.");
        Count("broker.zeromq.received", "Messages received.", () => counts().MessagesReceived);
        Count("broker.zeromq.sent", "Messages queued for peers.", () => counts().MessagesSent);
        Count("broker.zeromq.dropped", "Messages lost for want of room or of the peer.", () => counts().MessagesDropped);
    }

    /// <summary>Ends a meter of its own; one of a factory ends with that.</summary>
    public void Dispose()
    {
        if (_isOwn)
        {
            _meter.Dispose();
        }
    }

    private Measurement<long> Measure(long value) => new(value, _tags);

    private void Count(string name, string description, Func<long> read)
        => _meter.CreateObservableCounter(name, () => Measure(read()), "{message}", description);
}
