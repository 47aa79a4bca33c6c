namespace Broker.Client.Telemetry;

/// <summary>The spans of clients that have <see cref="ClientOptions.Tracing"/>, for whoever listens to them.</summary>
public static class ClientActivities
{
    /// <summary>The name of their <see cref="System.Diagnostics.ActivitySource"/>, for OpenTelemetry's <c>AddSource</c>.</summary>
    public const string SourceName = "Broker.Client";
}
