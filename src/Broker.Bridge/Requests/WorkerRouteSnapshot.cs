using Broker.Bridge.Routes;

namespace Broker.Bridge.Requests;

/// <summary>What a route of workers has done, at a moment.</summary>
/// <remarks>
/// When nothing moves, <see cref="RouteSnapshot.FromSubjects"/> is the sum of <see cref="Pending"/>, <see cref="Answered"/>,
/// <see cref="TimedOut"/>, <see cref="WorkerLost"/>, <see cref="NotTaken"/>, <see cref="Abandoned"/> and what of
/// <see cref="RouteSnapshot.Refused"/> came from subjects.
/// </remarks>
public sealed record WorkerRouteSnapshot : RouteSnapshot
{
    /// <summary>Whether the route is a member of its queue group now.</summary>
    public bool IsSubscribed { get; init; }

    /// <summary>Requests that workers have and that are not answered.</summary>
    public int Pending { get; init; }

    /// <summary>Requests whose answer was published, or that wanted none and were done.</summary>
    public long Answered { get; init; }

    /// <summary>Requests that were not answered in time.</summary>
    public long TimedOut { get; init; }

    /// <summary>Requests whose worker was lost.</summary>
    public long WorkerLost { get; init; }

    /// <summary>Requests that found no worker with room, and were sent back as if nobody had been there.</summary>
    public long NotTaken { get; init; }

    /// <summary>Requests that waited when the route ended, or whose answer could not be published any more.</summary>
    public long Abandoned { get; init; }

    /// <summary>Answers to requests that did not wait for one any more.</summary>
    public long Late { get; init; }
}
