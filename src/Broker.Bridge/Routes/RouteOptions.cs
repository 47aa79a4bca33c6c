using Broker.ZeroMq.Mechanisms;
using Broker.ZeroMq.Sockets;

namespace Broker.Bridge.Routes;

/// <summary>
/// How one route of a bridge is set up: which ZeroMQ programs it joins to which subjects, and by which pattern. Immutable; each pattern has a
/// record of its own.
/// </summary>
public abstract record RouteOptions
{
    /// <summary>
    /// What the route is called in counters, in the log and when it is removed; no two routes of a bridge share it. Default: the pattern's name.
    /// </summary>
    public string Name
    {
        get => field ?? Pattern;
        init;
    }

    /// <summary>The pattern's name, as the configuration file writes it.</summary>
    public abstract string Pattern { get; }

    /// <summary>
    /// The security mechanism of all its ZeroMQ sockets, and the bridge's part in it. Endpoints that need different ones are of different routes.
    /// Default <see cref="ZeroMqSecurity.Null"/>.
    /// </summary>
    public ZeroMqSecurity Security { get; init; } = ZeroMqSecurity.Null;

    /// <summary>As <see cref="LoopSocketOptions.Authenticate"/>; a server of PLAIN needs it. Default: none.</summary>
    public Func<ZeroMqCredentials, ValueTask<ZeroMqAdmission>>? Authenticate { get; init; }

    /// <summary>Finds what would keep the route from being started so, and what does not need the network to be found.</summary>
    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    /// <exception cref="FormatException">An endpoint is none.</exception>
    public virtual void Validate()
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(Name);
        ArgumentNullException.ThrowIfNull(Security);
        if (ReferenceEquals(Security, ZeroMqSecurity.PlainServer) && Authenticate is null)
        {
            throw new ArgumentException("A server of PLAIN admits by its Authenticate callback alone, and there is none.", nameof(Authenticate));
        }
    }

    /// <summary>A route, which nothing has happened to yet.</summary>
    internal abstract BridgeRoute Create(RouteContext context);
}
