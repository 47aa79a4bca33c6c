using System.Diagnostics.Metrics;
using Broker.ZeroMq.Loops;

namespace Broker.ZeroMq;

/// <summary>
/// Publishes a socket's counters as a meter of System.Diagnostics.Metrics. An instrument reads the socket's counters
/// when it is collected. The page docs/telemetry.md lists the names.
/// </summary>
public sealed class ZeroMqMetrics : IDisposable
{
    /// <summary>The meter's name.</summary>
    public const string MeterName = "Broker.ZeroMq";

    private readonly Meter _meter;
    private readonly KeyValuePair<string, object?>[] _tags;

    // Whether this object created the meter. A meter factory disposes its meters itself.
    private readonly bool _isOwn;

    /// <param name="socket">The socket that has the counters.</param>
    /// <param name="name">The name of the socket: the tag <c>broker.zeromq.socket</c> of all instruments.</param>
    /// <param name="meters">Creates the meter; null to create a separate meter.</param>
    public ZeroMqMetrics(MessageSocket socket, string name, IMeterFactory? meters = null)
        : this((socket ?? throw new ArgumentNullException(nameof(socket))).GetCounts, socket.LoopSocket, name, meters)
    {
    }

    /// <param name="socket">The socket that has the counters.</param>
    /// <param name="name">The name of the socket: the tag <c>broker.zeromq.socket</c> of all instruments.</param>
    /// <param name="meters">Creates the meter; null to create a separate meter.</param>
    public ZeroMqMetrics(LoopSocket socket, string name, IMeterFactory? meters = null)
        : this((socket ?? throw new ArgumentNullException(nameof(socket))).GetCounts, socket, name, meters)
    {
    }

    private ZeroMqMetrics(Func<ZeroMqCounts> counts, LoopSocket socket, string name, IMeterFactory? meters)
    {
        ArgumentNullException.ThrowIfNull(name);
        // Each measurement has the tags, because a factory returns the same meter to all sockets.
        _tags = [new("broker.zeromq.socket", name), new("broker.zeromq.type", socket.SocketType.ToString().ToLowerInvariant())];
        _isOwn = meters is null;
        _meter = meters?.Create(new MeterOptions(MeterName)) ?? new Meter(MeterName);
        _meter.CreateObservableUpDownCounter("broker.zeromq.peers", () => Measure(counts().Peers), "{peer}", "Peers connected now.");
        _meter.CreateObservableUpDownCounter(
            "broker.zeromq.pending", () => Measure(counts().PendingBytes), "By", "Bytes that wait for peers.");
        Count("broker.zeromq.received", "Messages received.", () => counts().MessagesReceived);
        Count("broker.zeromq.sent", "Messages queued for peers.", () => counts().MessagesSent);
        Count(
            "broker.zeromq.dropped",
            "Messages dropped because a queue was full or a peer disconnected.",
            () => counts().MessagesDropped);
        Count(
            "broker.zeromq.refused",
            "Received messages refused because of their size or their number of frames.",
            () => counts().MessagesRefused);
    }

    /// <summary>Disposes the meter, unless a factory owns it.</summary>
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
