namespace Broker.Cli.ServiceManagers;

/// <summary>When Windows starts a service.</summary>
internal enum ServiceStart
{
    Auto,

    /// <summary>The service starts shortly after the other automatic services.</summary>
    Delayed,

    Demand,
}
