using Broker.ZeroMq;
using Broker.ZeroMq.Loops;

namespace Broker.Bridge;

/// <summary>
/// The options of one route: the ZeroMQ programs, the subjects and the pattern that connects them. Immutable. Each
/// pattern has its own record.
/// </summary>
public abstract record RouteOptions
{
    /// <summary>
    /// The name of the route in counters and in the log, and for its removal. It must be unique in a bridge. Default:
    /// the name of the pattern.
    /// </summary>
    public string Name
    {
        get => field ?? Pattern;
        init;
    }

    /// <summary>The name of the pattern, as in the configuration file.</summary>
    public abstract string Pattern { get; }

    /// <summary>
    /// The security mechanism of all ZeroMQ sockets of the route, and whether the bridge is its client or its server.
    /// Endpoints with different mechanisms need different routes. Default <see cref="ZeroMqSecurity.Null"/>.
    /// </summary>
    public ZeroMqSecurity Security { get; init; } = ZeroMqSecurity.Null;

    /// <summary>
    /// The callback <see cref="LoopSocketOptions.Authenticate"/> of the sockets. A PLAIN server requires it. Default
    /// null.
    /// </summary>
    public Func<ZeroMqCredentials, ValueTask<ZeroMqAdmission>>? Authenticate { get; init; }

    /// <summary>Checks the options as far as this is possible without the network.</summary>
    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    /// <exception cref="FormatException">The text of an endpoint is not valid.</exception>
    public virtual void Validate()
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(Name);
        ArgumentNullException.ThrowIfNull(Security);
        if (ReferenceEquals(Security, ZeroMqSecurity.PlainServer) && Authenticate is null)
        {
            throw new ArgumentException("A PLAIN server requires an Authenticate callback.", nameof(Authenticate));
        }
    }

    /// <summary>
    /// The subjects and filters that the route publishes to and receives from, for its users to read.
    /// </summary>
    internal abstract IReadOnlyList<string> Subjects { get; }

    /// <summary>The subjects and filters that the route wants to reserve in a server of this process.</summary>
    internal virtual IReadOnlyList<string> ReservedSubjects => [];

    /// <summary>Creates the route. It does nothing before it is started.</summary>
    internal abstract BridgeRoute Create(RouteContext context);
}
