using System.Diagnostics.Metrics;

namespace Broker.Hosting.Tests.Telemetry;

/// <summary>Listens to the meters of one host, as an exporter does.</summary>
internal sealed class RecordedMetrics : IDisposable
{
    private readonly MeterListener _listener = new();
    private readonly Dictionary<string, List<(long Value, Dictionary<string, object?> Tags)>> _values = [];

    /// <param name="scope">The meter factory. Meters of other factories in this process are ignored.</param>
    public RecordedMetrics(IMeterFactory scope)
    {
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (ReferenceEquals(instrument.Meter.Scope, scope) && instrument.Meter.Name.StartsWith("Broker.", StringComparison.Ordinal))
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        _listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Add(instrument, value, tags));
        _listener.SetMeasurementEventCallback<int>((instrument, value, tags, _) => Add(instrument, value, tags));
        _listener.Start();
    }

    /// <summary>The current values of all instruments, by name.</summary>
    public IReadOnlyDictionary<string, List<(long Value, Dictionary<string, object?> Tags)>> Read()
    {
        _values.Clear();
        _listener.RecordObservableInstruments();
        return _values;
    }

    public void Dispose() => _listener.Dispose();

    private void Add(Instrument instrument, long value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        var all = (instrument.Meter.Tags ?? []).ToDictionary(t => t.Key, t => t.Value);
        foreach (KeyValuePair<string, object?> tag in tags)
        {
            all[tag.Key] = tag.Value;
        }

        if (!_values.TryGetValue(instrument.Name, out List<(long Value, Dictionary<string, object?> Tags)>? list))
        {
            _values[instrument.Name] = list = [];
        }

        list.Add((value, all));
    }
}
