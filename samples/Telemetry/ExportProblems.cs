using System.Diagnostics.Tracing;

namespace Telemetry;

/// <summary>
/// Logs that nothing takes the exported metrics and traces. OpenTelemetry's exporter reports this only as an event of
/// its own source, so a program whose collector is missing seems to work.
/// </summary>
public sealed partial class ExportProblems(ILogger<ExportProblems> log) : EventListener, IHostedService
{
    private const string Source = "OpenTelemetry-Exporter-OpenTelemetryProtocol";

    private int _isTold;

    public Task StartAsync(CancellationToken cancellationToken)
    {
        foreach (EventSource source in EventSource.GetSources().Where(static s => s.Name == Source))
        {
            EnableEvents(source, EventLevel.Warning);
        }

        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    // The source may be created after this listener, or before it.
    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        if (eventSource.Name == Source)
        {
            EnableEvents(eventSource, EventLevel.Warning);
        }
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        if (log is not null && Interlocked.Exchange(ref _isTold, 1) == 0)
        {
            LogNotExported(eventData.EventName);
        }
    }

    [LoggerMessage(1, LogLevel.Warning, "The metrics and traces were not exported ({Event}). OTEL_EXPORTER_OTLP_ENDPOINT names the collector.")]
    private partial void LogNotExported(string? @event);
}
