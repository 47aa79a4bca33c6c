namespace Broker.Bridge;

/// <summary>
/// The counters of a route at one moment. Messages that were received, but neither sent, dropped nor refused, are still
/// in the bridge. This is not true for PUB/SUB, which counts each copy of a sent message, and does not count messages
/// without a subscriber.
/// </summary>
public record RouteSnapshot
{
    /// <summary>The name of the route, from <see cref="RouteOptions.Name"/>.</summary>
    public required string Name { get; init; }

    /// <summary>The name of the pattern, from <see cref="RouteOptions.Pattern"/>.</summary>
    public required string Pattern { get; init; }

    /// <summary>
    /// The security mechanism and the bridge's part in it, such as <c>CURVE server</c>; <c>NULL</c> without security.
    /// It contains no secret.
    /// </summary>
    public string Security { get; init; } = "NULL";

    /// <summary>
    /// The endpoints that ZeroMQ programs can connect to, with the ports that the system has assigned.
    /// </summary>
    public IReadOnlyList<string> Endpoints { get; init; } = [];

    /// <summary>
    /// The subjects and filters that the route publishes to and receives from; a queue group is in brackets.
    /// </summary>
    public IReadOnlyList<string> Subjects { get; init; } = [];

    /// <summary>Whether the route takes no new messages (<see cref="ZeroMqBridge.PauseRouteAsync"/>).</summary>
    public bool IsPaused { get; init; }

    /// <summary>
    /// Whether the ZeroMQ programs of the route receive only copies (<see cref="ZeroMqBridge.SetShadowAsync"/>); null
    /// if the route cannot be a shadow.
    /// </summary>
    public bool? IsShadow { get; init; }

    /// <summary>The number of ZeroMQ programs that are connected now.</summary>
    public int Peers { get; init; }

    /// <summary>Messages received from ZeroMQ programs.</summary>
    public long FromZeroMq { get; init; }

    /// <summary>
    /// Messages that were published. If the server is lost before it has received all of them, some messages are lost;
    /// <see cref="BridgeSnapshot.Client"/> counts the lost messages of all routes together.
    /// </summary>
    public long ToSubjects { get; init; }

    /// <summary>Messages that the server delivered to this route.</summary>
    public long FromSubjects { get; init; }

    /// <summary>Messages queued for ZeroMQ programs, counted once for each receiving program.</summary>
    public long ToZeroMq { get; init; }

    /// <summary>
    /// Messages dropped in either direction because a queue was full, no server was connected or there was no receiver.
    /// </summary>
    public long Dropped { get; init; }

    /// <summary>
    /// The number of dropped messages for each reason, such as <c>timed_out</c>. Reasons without messages are left out.
    /// </summary>
    public IReadOnlyDictionary<string, long> DroppedBecause { get; init; } = new Dictionary<string, long>(StringComparer.Ordinal);

    /// <summary>
    /// Messages of either direction that cannot be mapped, and messages of ZeroMQ programs with too many frames or
    /// bytes. Each message with too many frames or bytes has ended the connection of its sender.
    /// </summary>
    public long Refused { get; init; }

    /// <summary>Returns the reasons with a number of messages above 0.</summary>
    internal static IReadOnlyDictionary<string, long> Reasons(params ReadOnlySpan<(string Reason, long Messages)> all)
    {
        var reasons = new Dictionary<string, long>(StringComparer.Ordinal);
        foreach ((string reason, long messages) in all)
        {
            if (messages > 0)
            {
                reasons.Add(reason, messages);
            }
        }

        return reasons;
    }
}
