namespace Broker.Bridge.Tracing;

/// <summary>The spans of bridges whose client has <see cref="Broker.Client.ClientOptions.Tracing"/>, for whoever listens to them.</summary>
public static class BridgeActivities
{
    /// <summary>The name of their <see cref="System.Diagnostics.ActivitySource"/>, for OpenTelemetry's <c>AddSource</c>.</summary>
    public const string SourceName = "Broker.Bridge";
}
