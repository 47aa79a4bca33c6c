using Broker.Bridge.Mapping;
using Broker.Bridge.Routes;
using Broker.Client;
using Broker.Client.Publishing;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Broker.Bridge;

/// <summary>How a bridge is set up. Immutable.</summary>
public sealed record ZeroMqBridgeOptions
{
    /// <summary>
    /// How to reach the NATS side. Its <see cref="ClientOptions.Loops"/>, if any, are the bridge's too: everything then happens on
    /// the loops of an embedded server. Its policy for publishing while disconnected is the caller's; PUB would drop. Its
    /// callbacks are called after the bridge's own. <see cref="ClientOptions.Echo"/> is always on: what one route publishes may be for another.
    /// </summary>
    public ClientOptions Client { get; init; } = new() { WhileDisconnected = PublishWhileDisconnected.Drop };

    /// <summary>
    /// Whether a start without a NATS server fails. Default false: the bridge opens its endpoints and goes on looking for a server, and
    /// so it does when one refuses its credentials. Until there is one it does as after a loss.
    /// </summary>
    public bool RequireServer { get; init; }

    /// <summary>What it begins with. <see cref="ZeroMqBridge.AddRouteAsync"/> adds more.</summary>
    public IReadOnlyList<RouteOptions> Routes { get; init; } = [];

    /// <summary>
    /// The name under which the bridge is known to others, unlike that of any other: 1 to 64 of <c>A-Z a-z 0-9 _ -</c>. Default: one of its
    /// own for each start.
    /// </summary>
    public string Id { get; init; } = MappingOptions.NewId();

    /// <summary>Where it logs. Default: nowhere.</summary>
    public ILogger Logger { get; init; } = NullLogger.Instance;

    /// <summary>Finds what would keep a bridge from being started so, and what does not need the network to be found.</summary>
    /// <exception cref="ArgumentException">An option is out of its range, or two routes have one name.</exception>
    /// <exception cref="FormatException">An endpoint is none.</exception>
    public void Validate()
    {
        ArgumentNullException.ThrowIfNull(Client);
        ArgumentNullException.ThrowIfNull(Routes);
        ArgumentNullException.ThrowIfNull(Logger);
        if (Id is not { Length: >= 1 and <= 64 } || !Id.All(static c => char.IsAsciiLetterOrDigit(c) || c is '_' or '-'))
        {
            throw new ArgumentException("The id of a bridge has 1 to 64 letters, digits, '_' and '-'.", nameof(Id));
        }

        var names = new HashSet<string>(StringComparer.Ordinal);
        foreach (RouteOptions route in Routes)
        {
            ArgumentNullException.ThrowIfNull(route, nameof(Routes));
            route.Validate();
            if (!names.Add(route.Name))
            {
                throw new ArgumentException($"There are two routes of the name '{route.Name}'.", nameof(Routes));
            }
        }
    }
}
