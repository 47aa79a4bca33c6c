using System.Diagnostics.Metrics;

namespace Broker.Leaf;

/// <summary>
/// Publishes the counters of links as a meter of System.Diagnostics.Metrics, for OpenTelemetry and other listeners.
/// docs/telemetry.md lists the names. Each measurement has the tags <c>broker.leaf.account</c> and
/// <c>broker.leaf.address</c>. After a failover, a link's address is that of another server.
/// </summary>
public sealed class LeafMetrics : IDisposable
{
    /// <summary>The meter's name.</summary>
    public const string MeterName = "Broker.Leaf";

    private readonly LeafNodes _links;
    private readonly Meter _meter;

    // A factory owns its meters and disposes them itself.
    private readonly bool _isOwn;

    /// <summary>Creates the meter and its instruments.</summary>
    /// <param name="links">The links whose counters are published.</param>
    /// <param name="meters">
    /// The factory that creates the meter. If it is null, the instance creates and owns the meter.
    /// </param>
    public LeafMetrics(LeafNodes links, IMeterFactory? meters = null)
    {
        ArgumentNullException.ThrowIfNull(links);
        _links = links;
        _isOwn = meters is null;
        _meter = meters?.Create(new MeterOptions(MeterName)) ?? new Meter(MeterName);
        Show("broker.leaf.connected", "{link}", "1 while the link is connected, and 0 otherwise.", static s => s.IsConnected ? 1 : 0);
        Show("broker.leaf.subscriptions.remote", "{subscription}", "Subscriptions that the remote has announced.", static s => s.RemoteInterest);
        Show("broker.leaf.subscriptions.local", "{subscription}", "Subscriptions that were announced to the remote.", static s => s.LocalInterest);
        Count("broker.leaf.connects", "{connection}", "Times that the link was established.", static s => s.Connects);
        Count("broker.leaf.messages.received", "{message}", "Messages that the remote sent.", static s => s.MessagesIn);
        Count("broker.leaf.messages.sent", "{message}", "Messages that were sent to the remote.", static s => s.MessagesOut);
        Count("broker.leaf.messages.lost", "{message}", "Messages for the remote that were lost here.", static s => s.MessagesLost);
        Count("broker.leaf.payload.received", "By", "Payload bytes that the remote sent.", static s => s.BytesIn);
        Count("broker.leaf.payload.sent", "By", "Payload bytes that were sent to the remote.", static s => s.BytesOut);
    }

    /// <summary>Disposes the meter if this instance owns it. The meter of a factory is not disposed.</summary>
    public void Dispose()
    {
        if (_isOwn)
        {
            _meter.Dispose();
        }
    }

    private void Show(string name, string unit, string description, Func<LeafRemoteStatus, long> read)
        => _meter.CreateObservableUpDownCounter(name, () => Measure(read), unit, description);

    private void Count(string name, string unit, string description, Func<LeafRemoteStatus, long> read)
        => _meter.CreateObservableCounter(name, () => Measure(read), unit, description);

    private IEnumerable<Measurement<long>> Measure(Func<LeafRemoteStatus, long> read)
        => _links.Remotes.Select(status => new Measurement<long>(
            read(status), new("broker.leaf.account", status.Account), new("broker.leaf.address", status.Address)));
}
