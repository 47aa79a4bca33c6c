using System.Diagnostics.CodeAnalysis;
using System.Diagnostics.Metrics;
using Broker.Bridge;
using Broker.Client;
using Broker.Client.Streams;
using Broker.Leaf;
using Broker.Server;

namespace Broker.Hosting;

/// <summary>
/// The metrics of all parts of a host. If the host has a meter factory, that factory creates the meters. The host
/// disposes this object.
/// </summary>
internal sealed class HostedMetrics(IMeterFactory? meters) : IDisposable
{
    private readonly Lock _lock = new();
    private readonly List<IDisposable> _metrics = [];

    /// <summary>Creates the meter of a part. May be called on any thread.</summary>
    [SuppressMessage("Reliability", "CA2000:Dispose objects before losing scope", Justification = "Dispose disposes them.")]
    public void Add(object part, string name)
    {
        IDisposable created = Create(part, name);
        lock (_lock)
        {
            _metrics.Add(created);
        }
    }

    public void Dispose()
    {
        foreach (IDisposable one in _metrics)
        {
            one.Dispose();
        }
    }

    private IDisposable Create(object part, string name) => part switch
    {
        LeafNodes links => new LeafMetrics(links, meters),
        BrokerServer server => new ServerMetrics(server, meters),
        BrokerConnection client => new ClientMetrics(client, name, meters),
        StreamsClient streams => new StreamsMetrics(streams, name, meters),
        ZeroMqBridge bridge => new BridgeMetrics(bridge, meters),
        _ => throw new ArgumentException("A part of another kind.", nameof(part)),
    };
}
