using System.Diagnostics.Metrics;

namespace Broker.Client;

/// <summary>
/// Exposes the counters of a connection as a meter of System.Diagnostics.Metrics. The instruments read the connection's
/// existing counters when they are collected. If OpenTelemetry's conventions for messaging define an instrument, it has
/// the name from the conventions. docs/telemetry.md lists all instruments.
/// </summary>
public sealed class ClientMetrics : IDisposable
{
    /// <summary>The name of the meter.</summary>
    public const string MeterName = "Broker.Client";

    private readonly Meter _meter;
    private readonly KeyValuePair<string, object?>[] _tags;

    // A meter factory owns and disposes its meters.
    private readonly bool _isOwn;

    /// <param name="connection">The connection with the counters.</param>
    /// <param name="name">Distinguishes connections: the value of the tag <c>broker.client.name</c> of all
    /// instruments.</param>
    /// <param name="meters">Creates the meter. Null to create one directly.</param>
    public ClientMetrics(BrokerConnection connection, string name = "default", IMeterFactory? meters = null)
    {
        ArgumentNullException.ThrowIfNull(connection);
        ArgumentNullException.ThrowIfNull(name);
        // The tags are passed with each measurement and not to the meter, because a factory returns the same meter for
        // all connections.
        _tags = [new("messaging.system", "nats"), new("broker.client.name", name)];
        _isOwn = meters is null;
        _meter = meters?.Create(new MeterOptions(MeterName)) ?? new Meter(MeterName);
        // The conventions also require an operation tag. Each counter has one operation.
        Count("messaging.client.sent.messages", "{message}", "Messages accepted for sending.", "publish", () => connection.GetStatistics().MessagesOut);
        Count("messaging.client.consumed.messages", "{message}", "Messages delivered to subscriptions.", "receive", () => connection.GetStatistics().MessagesIn);
        Count("broker.client.sent", "By", "Headers and bodies of messages accepted for sending.", "publish", () => connection.GetStatistics().BytesOut);
        Count("broker.client.consumed", "By", "Headers and bodies of messages delivered.", "receive", () => connection.GetStatistics().BytesIn);
        Count("broker.client.reconnects", "{reconnect}", "Reconnects after a loss of the server.", null, () => connection.GetStatistics().Reconnects);
        Count("broker.client.dropped", "{message}", "Messages that were discarded while disconnected.", null, () => connection.GetStatistics().Dropped);
        Count("broker.client.lost", "{message}", "Messages that were accepted and certainly not sent.", null, () => connection.GetStatistics().Lost);
        Count("broker.client.unconfirmed", "{message}", "Messages that were sent to servers that were lost before they confirmed them.", null, () => connection.GetStatistics().Unconfirmed);
        Count("broker.client.faults", "{fault}", "Exceptions that handlers and callbacks have thrown.", null, () => connection.GetStatistics().Faults);
        _meter.CreateObservableUpDownCounter("broker.client.pending", () => new Measurement<long>(connection.GetStatistics().PendingBytes, _tags), "By", "Bytes that wait to be sent or for a server.");
        _meter.CreateObservableUpDownCounter(
            "broker.client.connected", () => new Measurement<int>(connection.State == ConnectionState.Connected ? 1 : 0, _tags), "{connection}", "1 while a server is connected.");
    }

    /// <summary>Disposes the meter, unless a factory owns it.</summary>
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
