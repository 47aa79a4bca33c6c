using Broker.Bridge.Routes;

namespace Broker.Bridge.Requests;

/// <summary>What a route of requests has done, at a moment.</summary>
/// <remarks>
/// When nothing moves, <see cref="RouteSnapshot.FromZeroMq"/> is the sum of <see cref="Pending"/>, <see cref="Answered"/>,
/// <see cref="Undeliverable"/>, <see cref="TimedOut"/>, <see cref="Unserved"/>, <see cref="Abandoned"/> and
/// <see cref="RouteSnapshot.Refused"/>.
/// </remarks>
public sealed record RequestRouteSnapshot : RouteSnapshot
{
    /// <summary>Requests that wait for their answers.</summary>
    public int Pending { get; init; }

    /// <summary>Those of them that nobody was there to answer and that are sent again.</summary>
    public int Held { get; init; }

    /// <summary>Requests whose answer was queued for the client.</summary>
    public long Answered { get; init; }

    /// <summary>Requests whose answer came when the client had gone, or had too much waiting for it.</summary>
    public long Undeliverable { get; init; }

    /// <summary>Requests that were not answered in time.</summary>
    public long TimedOut { get; init; }

    /// <summary>Requests that were dropped, or answered by the bridge, because nobody was there to answer.</summary>
    public long Unserved { get; init; }

    /// <summary>Requests that waited when the route ended, or could not be published any more.</summary>
    public long Abandoned { get; init; }

    /// <summary>Answers to requests that did not wait for one any more.</summary>
    public long Late { get; init; }
}
