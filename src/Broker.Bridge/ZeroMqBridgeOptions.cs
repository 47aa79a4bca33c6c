using Broker.Client;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Broker.Bridge;

/// <summary>The options of a <see cref="ZeroMqBridge"/>. Immutable.</summary>
public sealed record ZeroMqBridgeOptions
{
    /// <summary>
    /// The options of the connection to the NATS server. By default, messages that are published while disconnected are
    /// dropped, as a PUB socket does.
    /// </summary>
    /// <remarks>
    /// <para>If <see cref="ClientOptions.Loops"/> is set, the bridge runs on these loops, for example on those of an
    /// embedded server.</para>
    /// <para>The bridge calls the callbacks of these options after its own. It does not call them for the second
    /// connection that it makes for pipelines whose subjects it reserves
    /// (<see cref="PushPullRouteOptions.ReserveSubjects"/>).</para>
    /// <para><see cref="ClientOptions.Echo"/> is always on, because one route may receive what another route
    /// publishes.</para>
    /// </remarks>
    public ClientOptions Client { get; init; } = new() { WhileDisconnected = PublishWhileDisconnected.Drop };

    /// <summary>
    /// Whether the start fails if no NATS server is reachable. Default false: the bridge binds its endpoints and keeps
    /// trying to connect, also if a server refuses its credentials. Until it is connected, the bridge behaves as it
    /// does after it lost a server.
    /// </summary>
    public bool RequireServer { get; init; }

    /// <summary>The routes that the bridge starts with. <see cref="ZeroMqBridge.AddRouteAsync"/> adds more.</summary>
    public IReadOnlyList<RouteOptions> Routes { get; init; } = [];

    /// <summary>
    /// The name by which other bridges recognize this bridge. It must be unique, with 1 to 64 characters of
    /// <c>A-Z a-z 0-9 _ -</c>. Default: a new random id for each start.
    /// </summary>
    public string Id { get; init; } = MappingOptions.NewId();

    /// <summary>The logger of the bridge. Default: no log.</summary>
    public ILogger Logger { get; init; } = NullLogger.Instance;

    /// <summary>Checks the options as far as this is possible without the network.</summary>
    /// <exception cref="ArgumentException">An option is out of its range, or two routes have the same name.</exception>
    /// <exception cref="FormatException">The text of an endpoint is not valid.</exception>
    public void Validate()
    {
        ArgumentNullException.ThrowIfNull(Client);
        ArgumentNullException.ThrowIfNull(Routes);
        ArgumentNullException.ThrowIfNull(Logger);
        if (Id is not { Length: >= 1 and <= 64 } || !Id.All(static c => char.IsAsciiLetterOrDigit(c)
            || c is '_' or '-'))
        {
            throw new ArgumentException(
                "The id of a bridge must have 1 to 64 letters, digits, '_' or '-'.", nameof(Id));
        }

        var names = new HashSet<string>(StringComparer.Ordinal);
        foreach (RouteOptions route in Routes)
        {
            ArgumentNullException.ThrowIfNull(route, nameof(Routes));
            route.Validate();
            if (!names.Add(route.Name))
            {
                throw new ArgumentException(
                    $"Two routes have the name '{route.Name}': each name must be unique.", nameof(Routes));
            }
        }
    }
}
