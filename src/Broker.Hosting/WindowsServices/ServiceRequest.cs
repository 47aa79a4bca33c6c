namespace Broker.Hosting;

/// <summary>A request of the service control manager.</summary>
public enum ServiceRequest
{
    /// <summary>Deliver queued messages and stop: a user stops the service, or Windows shuts down.</summary>
    Stop,

    /// <summary>Reload the settings (<c>sc control NAME paramchange</c>).</summary>
    Reload,
}
