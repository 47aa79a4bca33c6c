using System.Diagnostics.Metrics;

namespace Broker.Client.Telemetry;

/// <summary>
/// A connection's counters as a meter of System.Diagnostics.Metrics. The instruments read what the connection counts anyway, when they are
/// asked. Those that OpenTelemetry's conventions for messaging name have those names; all are in docs/telemetry.md.
/// </summary>
public sealed class ClientMetrics : IDisposable
{
    /// <summary>The meter's name.</summary>
    public const string MeterName = "Broker.Client";

    private readonly Meter _meter;
    private readonly KeyValuePair<string, object?>[] _tags;

    // A factory keeps its meters and disposes them itself.
    private readonly bool _isOwn;

    /// <param name="connection">Whose counters.</param>
    /// <param name="name">Tells connections apart: the tag <c>broker.client.name</c> of all instruments.</param>
    /// <param name="meters">Makes the meter; null for one of its own.</param>
    public ClientMetrics(BrokerConnection connection, string name = "default", IMeterFactory? meters = null)
    {
        ArgumentNullException.ThrowIfNull(connection);
        ArgumentNullException.ThrowIfNull(name);
        // With each measurement, not once on the meter: a factory has one meter of a name for all connections.
        _tags = [new("messaging.system", "nats"), new("broker.client.name", name)];
        _isOwn = meters is null;
        _meter = meters?.Create(new MeterOptions(MeterName)) ?? new Meter(MeterName);
        // The conventions ask for the operation too; there is one of each.
        Count("messaging.client.sent.messages", "{message}", "Messages accepted for sending.", "publish", () => connection.GetStatistics().MessagesOut);
        Count("messaging.client.consumed.messages", "{message}", "Messages delivered to subscriptions.", "receive", () => connection.GetStatistics().MessagesIn);
        Count("broker.client.sent", "By", "Headers and bodies of messages accepted for sending.", "publish", () => connection.GetStatistics().BytesOut);
        Count("broker.client.consumed", "By", "Headers and bodies of messages delivered.", "receive", () => connection.GetStatistics().BytesIn);
        Count("broker.client.reconnects", "{reconnect}", "How often a server was found again.", null, () => connection.GetStatistics().Reconnects);
        Count("broker.client.dropped", "{message}", "Messages thrown away while disconnected.", null, () => connection.GetStatistics().Dropped);
        Count("broker.client.lost", "{message}", "Messages that were accepted and certainly not sent.", null, () => connection.GetStatistics().Lost);
        Count("broker.client.unconfirmed", "{message}", "Messages sent to servers that were lost before they had confirmed them.", null, () => connection.GetStatistics().Unconfirmed);
        Count("broker.client.faults", "{fault}", "Exceptions out of handlers and callbacks.", null, () => connection.GetStatistics().Faults);
        _meter.CreateObservableUpDownCounter("broker.client.pending", () => new Measurement<long>(connection.GetStatistics().PendingBytes, _tags), "By", "What waits to be sent, or for a server.");
        _meter.CreateObservableUpDownCounter(
            "broker.client.connected", () => new Measurement<int>(connection.State == ConnectionState.Connected ? 1 : 0, _tags), "{connection}", "1 while there is a server.");
    }

    /// <summary>Ends a meter of its own; one of a factory ends with that.</summary>
    public void Dispose()
    {
        if (_isOwn)
        {
            _meter.Dispose();
        }
    }

    private void Count(string name, string unit, string description, string? operation, Func<long> read)
    {
        KeyValuePair<string, object?>[] tags = operation is null ? _tags : [.. _tags, new("messaging.operation.name", operation)];
        _meter.CreateObservableCounter(name, () => new Measurement<long>(read(), tags), unit, description);
    }
}
