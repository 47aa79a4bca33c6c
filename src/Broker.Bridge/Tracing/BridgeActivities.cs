namespace Broker.Bridge;

/// <summary>
/// The name of the spans' source. A bridge creates spans if <see cref="Broker.Client.ClientOptions.Tracing"/> is set
/// for its client.
/// </summary>
public static class BridgeActivities
{
    /// <summary>
    /// The name of the bridge's <see cref="System.Diagnostics.ActivitySource"/>, for OpenTelemetry's <c>AddSource</c>.
    /// </summary>
    public const string SourceName = "Broker.Bridge";
}
