namespace Broker.Cli.ServiceManagers;

/// <summary>When Windows starts a service.</summary>
internal enum ServiceStart
{
    Auto,

    /// <summary>A little after the others.</summary>
    Delayed,

    Demand,
}
