namespace Broker.Client;

/// <summary>The spans of connections that use <see cref="ClientOptions.Tracing"/>.</summary>
public static class ClientActivities
{
    /// <summary>
    /// The name of the <see cref="System.Diagnostics.ActivitySource"/>, for OpenTelemetry's <c>AddSource</c>.
    /// </summary>
    public const string SourceName = "Broker.Client";
}
