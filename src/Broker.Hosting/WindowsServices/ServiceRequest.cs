namespace Broker.Hosting;

/// <summary>What the service control manager asks of a service.</summary>
public enum ServiceRequest
{
    /// <summary>Deliver what is queued and end: somebody stops the service, or Windows shuts down.</summary>
    Stop,

    /// <summary>Read the settings again (<c>sc control NAME paramchange</c>).</summary>
    Reload,
}
