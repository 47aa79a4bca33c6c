namespace Broker.AspNetCore;

/// <summary>A change of a route by the administrator (<see cref="AdministratorOptions.ChangeRoute"/>).</summary>
public enum RouteChange
{
    /// <summary>The route takes no new messages.</summary>
    Pause,

    /// <summary>The route takes messages again.</summary>
    Resume,

    /// <summary>The ZeroMQ programs of the route receive only copies.</summary>
    BeginShadow,

    /// <summary>The ZeroMQ programs of the route take part.</summary>
    EndShadow,
}
