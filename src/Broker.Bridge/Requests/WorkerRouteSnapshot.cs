namespace Broker.Bridge;

/// <summary>The counters of a route for ZeroMQ workers at one moment.</summary>
/// <remarks>
/// While nothing changes, <see cref="RouteSnapshot.FromSubjects"/> is the sum of <see cref="Pending"/>,
/// <see cref="Answered"/>, <see cref="TimedOut"/>, <see cref="WorkerLost"/>, <see cref="NotTaken"/>,
/// <see cref="Abandoned"/> and the requests in <see cref="RouteSnapshot.Refused"/>.
/// </remarks>
public sealed record WorkerRouteSnapshot : RouteSnapshot
{
    /// <summary>Whether the route is a member of its queue group now.</summary>
    public bool IsSubscribed { get; init; }

    /// <summary>Requests that workers have received and not answered yet, or that wait for a free worker.</summary>
    public int Pending { get; init; }

    /// <summary>Requests with a published reply, and answered requests that had no reply subject.</summary>
    public long Answered { get; init; }

    /// <summary>Requests that were not answered in time.</summary>
    public long TimedOut { get; init; }

    /// <summary>Requests that were pending when their worker disconnected.</summary>
    public long WorkerLost { get; init; }

    /// <summary>
    /// Requests that found no worker with capacity and were answered with status 503, which means "no responders".
    /// </summary>
    public long NotTaken { get; init; }

    /// <summary>
    /// Requests that were pending when the route closed, or whose reply could not be published because the connection
    /// was closed.
    /// </summary>
    public long Abandoned { get; init; }

    /// <summary>Replies to requests that were no longer pending.</summary>
    public long Late { get; init; }
}
