using Broker.Bridge.Routes;

namespace Broker.Bridge.Pipelines;

/// <summary>What a PUSH/PULL route has done, at a moment. docs/push-pull.md says how the counters add up.</summary>
public sealed record PushPullRouteSnapshot : RouteSnapshot
{
    /// <summary>Where PUSH programs can connect, with the ports that were really taken.</summary>
    public IReadOnlyList<string> PusherEndpoints { get; init; } = [];

    /// <summary>Where PULL programs can connect, with the ports that were really taken.</summary>
    public IReadOnlyList<string> PullerEndpoints { get; init; } = [];

    /// <summary>PUSH programs that are connected now.</summary>
    public int Pushers { get; init; }

    /// <summary>PULL programs that are connected now.</summary>
    public int Pullers { get; init; }

    /// <summary>Messages that the ingress took from PUSH programs and keeps until they are acknowledged.</summary>
    public long Accepted { get; init; }

    /// <summary>Messages that the ingress sent, each time counted.</summary>
    public long Published { get; init; }

    /// <summary>Messages of which an egress, or the stream, has said that it has them.</summary>
    public long Acknowledged { get; init; }

    /// <summary>Messages that the ingress sent again to the same egress, or to the stream.</summary>
    public long Resent { get; init; }

    /// <summary>Messages that the ingress gave to another egress than the first, which is gone or has given them back.</summary>
    public long Moved { get; init; }

    /// <summary>Those of them that the first egress may have handed over without our hearing of it.</summary>
    public long PossiblyMovedTwice { get; init; }

    /// <summary>Messages that were accepted, and that the server there is now does not take for their size. They are lost.</summary>
    public long GivenUp { get; init; }

    /// <summary>Messages that the ingress has accepted and keeps.</summary>
    public long InFlight { get; init; }

    /// <summary>Messages that the egress received, or was delivered by the stream, duplicates not counted.</summary>
    public long Received { get; init; }

    /// <summary>Messages that PUSH took for PULL programs.</summary>
    public long HandedOver { get; init; }

    /// <summary>Those of them that another egress, or an earlier life of this one, may have handed over too.</summary>
    public long PossibleDuplicates { get; init; }

    /// <summary>Messages that came to the egress again and were dropped.</summary>
    public long DuplicatesDropped { get; init; }

    /// <summary>Messages that the egress gave back because there was no PULL program any more.</summary>
    public long Released { get; init; }

    /// <summary>Messages that wait in the egress for PULL programs.</summary>
    public long Waiting { get; init; }

    /// <summary>How many egresses the ingress sends to, and how many ingresses the egress takes from.</summary>
    public int Partners { get; init; }

    internal static PushPullRouteSnapshot Of(PipelineRoute route, IngressCounters into, EgressCounters outOf)
    {
        // What comes later first, so that none of it seems to have come from nowhere.
        long handedOver = outOf.HandedOver;
        long received = outOf.Received;
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
            FromZeroMq = accepted + into.Refused,
            ToSubjects = accepted,
            FromSubjects = received,
            ToZeroMq = handedOver,
            Dropped = into.GivenUp,
            Refused = into.Refused + outOf.Refused,
            Accepted = accepted,
            Published = into.Published,
            Acknowledged = acknowledged,
            Resent = into.Resent,
            Moved = into.Moved,
            PossiblyMovedTwice = into.PossibleDuplicates,
            GivenUp = into.GivenUp,
            InFlight = accepted - acknowledged,
            Received = received,
            HandedOver = handedOver,
            PossibleDuplicates = outOf.PossibleDuplicates,
            DuplicatesDropped = outOf.DuplicatesDropped,
            Released = outOf.Released,
        };
    }
}
