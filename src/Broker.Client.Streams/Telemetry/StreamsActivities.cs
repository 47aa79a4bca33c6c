namespace Broker.Client.Streams;

/// <summary>The spans of clients of streams that use <see cref="StreamsOptions.Tracing"/>.</summary>
public static class StreamsActivities
{
    /// <summary>
    /// The name of the <see cref="System.Diagnostics.ActivitySource"/>, for OpenTelemetry's <c>AddSource</c>.
    /// </summary>
    public const string SourceName = "Broker.Client.Streams";
}
