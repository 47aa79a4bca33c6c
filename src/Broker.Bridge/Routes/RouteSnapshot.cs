namespace Broker.Bridge.Routes;

/// <summary>
/// What a route has done, at a moment. What came in by one side and neither went out by the other nor was dropped or refused is still within
/// the bridge; not so with PUB/SUB, where copies are counted, and what no subscriber asked for is not.
/// </summary>
public record RouteSnapshot
{
    /// <summary>As in <see cref="RouteOptions.Name"/>.</summary>
    public required string Name { get; init; }

    /// <summary>As in <see cref="RouteOptions.Pattern"/>.</summary>
    public required string Pattern { get; init; }

    /// <summary>The security mechanism and the bridge's part in it, such as <c>CURVE server</c>; <c>NULL</c> without one. Never a secret.</summary>
    public string Security { get; init; } = "NULL";

    /// <summary>Where ZeroMQ programs can connect, with the ports that were really taken.</summary>
    public IReadOnlyList<string> Endpoints { get; init; } = [];

    /// <summary>ZeroMQ programs that are connected now.</summary>
    public int Peers { get; init; }

    /// <summary>Messages that came from ZeroMQ programs.</summary>
    public long FromZeroMq { get; init; }

    /// <summary>
    /// Messages that were published. Some may be on their way to a server when that is lost; those are counted for all routes together, in
    /// <see cref="BridgeSnapshot.Client"/>.
    /// </summary>
    public long ToSubjects { get; init; }

    /// <summary>Messages that came from the server for this route.</summary>
    public long FromSubjects { get; init; }

    /// <summary>Messages queued for ZeroMQ programs, one for each that gets it.</summary>
    public long ToZeroMq { get; init; }

    /// <summary>Messages lost, of either side: for want of room, of a server, or of somebody to take them.</summary>
    public long Dropped { get; init; }

    /// <summary>Messages, of either side, that cannot be mapped.</summary>
    public long Refused { get; init; }
}
