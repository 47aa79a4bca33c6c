namespace Broker.Bridge;

/// <summary>
/// The counters of a PUSH/PULL route at one moment. docs/push-pull.md describes how they depend on each other.
/// </summary>
public sealed record PushPullRouteSnapshot : RouteSnapshot
{
    /// <summary>The endpoints that PUSH programs can connect to, with the ports that the system has assigned.</summary>
    public IReadOnlyList<string> PusherEndpoints { get; init; } = [];

    /// <summary>The endpoints that PULL programs can connect to, with the ports that the system has assigned.</summary>
    public IReadOnlyList<string> PullerEndpoints { get; init; } = [];

    /// <summary>The number of PUSH programs that are connected now.</summary>
    public int Pushers { get; init; }

    /// <summary>The number of PULL programs that are connected now.</summary>
    public int Pullers { get; init; }

    /// <summary>
    /// Messages that the ingress accepted from PUSH programs. It keeps each message until it is acknowledged.
    /// </summary>
    public long Accepted { get; init; }

    /// <summary>Messages that the ingress sent. Each resend counts again.</summary>
    public long Published { get; init; }

    /// <summary>Messages that an egress or the stream has acknowledged.</summary>
    public long Acknowledged { get; init; }

    /// <summary>Messages that the ingress sent again to the same egress or to the stream.</summary>
    public long Resent { get; init; }

    /// <summary>
    /// Messages that the ingress sent to another egress because the first egress was lost or had returned them.
    /// </summary>
    public long Moved { get; init; }

    /// <summary>
    /// Moved messages that the first egress may have passed to PUSH, because its acknowledgement may have been lost.
    /// </summary>
    public long PossiblyMovedTwice { get; init; }

    /// <summary>
    /// Messages that were accepted, but are lost because they exceed the size limit of the server that is connected
    /// now.
    /// </summary>
    public long GivenUp { get; init; }

    /// <summary>Messages that the ingress has accepted and still keeps.</summary>
    public long InFlight { get; init; }

    /// <summary>Messages that the egress received from ingresses or from the stream, without duplicates.</summary>
    public long Received { get; init; }

    /// <summary>Messages that the PUSH socket took for PULL programs.</summary>
    public long Delivered { get; init; }

    /// <summary>Messages that another egress, or this egress before a restart, may have passed to PUSH too.</summary>
    public long PossibleDuplicates { get; init; }

    /// <summary>Messages that arrived at the egress again and were dropped.</summary>
    public long DuplicatesDropped { get; init; }

    /// <summary>Messages that the egress returned because no PULL program was connected any more.</summary>
    public long Released { get; init; }

    /// <summary>Messages that are queued in the egress for PULL programs.</summary>
    public long Waiting { get; init; }

    /// <summary>
    /// The largest number of messages that one ingress may have on their way to one egress, or queued there
    /// (<see cref="PushPullRouteOptions.Window"/>).
    /// </summary>
    public int Window { get; init; }

    /// <summary>
    /// How many more messages the ingress might send to all its egresses now, or to the stream, by their number;
    /// counted once a second. At 0, PUSH programs wait. They also wait while the bytes of the windows are used up.
    /// </summary>
    public long Credit { get; init; }

    /// <summary>
    /// The number of egresses that the ingress sends to, plus the number of ingress links that the egress receives
    /// from.
    /// </summary>
    public int Partners { get; init; }

    internal static PushPullRouteSnapshot Of(PipelineRoute route, IngressCounters into, EgressCounters outOf, ShadowCopies? copies = null)
    {
        // Reads the counters of later steps first, so that they never exceed those of earlier steps.
        long delivered = outOf.Delivered + (copies?.Delivered ?? 0);
        long received = outOf.Received + (copies?.Received ?? 0);
        long dropped = copies?.Dropped ?? 0;
        long givenUp = into.GivenUp;
        long acknowledged = into.Acknowledged;
        long accepted = into.Accepted;
        return new PushPullRouteSnapshot
        {
            Name = route.Name,
            Pattern = route.Pattern,
            Endpoints = [.. route.PusherEndpoints, .. route.PullerEndpoints],
            PusherEndpoints = route.PusherEndpoints,
            PullerEndpoints = route.PullerEndpoints,
            Peers = route.Pushers + route.Pullers,
            Pushers = route.Pushers,
            Pullers = route.Pullers,
            FromZeroMq = accepted + into.Refused + route.SocketRefused,
            ToSubjects = accepted,
            FromSubjects = received,
            ToZeroMq = delivered,
            Dropped = givenUp + dropped,
            DroppedBecause = Reasons(("given_up", givenUp), ("full", dropped)),
            Refused = into.Refused + into.Violations + outOf.Refused + (copies?.Refused ?? 0) + route.SocketRefused,
            Accepted = accepted,
            Published = into.Published,
            Acknowledged = acknowledged,
            Resent = into.Resent,
            Moved = into.Moved,
            PossiblyMovedTwice = into.PossibleDuplicates,
            GivenUp = givenUp,
            InFlight = accepted - acknowledged,
            Received = received,
            Delivered = delivered,
            PossibleDuplicates = outOf.PossibleDuplicates,
            DuplicatesDropped = outOf.DuplicatesDropped,
            Released = outOf.Released,
        };
    }
}
