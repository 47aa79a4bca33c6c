namespace Broker.Bridge;

/// <summary>The counters of a route for ZeroMQ clients at one moment.</summary>
/// <remarks>
/// While nothing changes, <see cref="RouteSnapshot.FromZeroMq"/> is the sum of <see cref="Pending"/>,
/// <see cref="Answered"/>, <see cref="Undeliverable"/>, <see cref="TimedOut"/>, <see cref="Unserved"/>,
/// <see cref="Failed"/>, <see cref="Abandoned"/> and <see cref="RouteSnapshot.Refused"/>.
/// </remarks>
public sealed record RequestRouteSnapshot : RouteSnapshot
{
    /// <summary>Requests that wait for their replies now.</summary>
    public int Pending { get; init; }

    /// <summary>The size of the pending requests in bytes.</summary>
    public long PendingBytes { get; init; }

    /// <summary>Requests whose service answered with an error.</summary>
    public long Failed { get; init; }

    /// <summary>Pending requests whose subject nobody subscribed to, and which the route publishes again.</summary>
    public int Held { get; init; }

    /// <summary>Requests with a reply that was queued for the client.</summary>
    public long Answered { get; init; }

    /// <summary>
    /// Requests with a reply that could not be queued because the client had disconnected or its queue was full.
    /// </summary>
    public long Undeliverable { get; init; }

    /// <summary>Requests that were not answered in time.</summary>
    public long TimedOut { get; init; }

    /// <summary>
    /// Requests whose subject nobody subscribed to, and which the route therefore dropped or answered itself.
    /// </summary>
    public long Unserved { get; init; }

    /// <summary>
    /// Requests that were pending when the route closed, or could not be published because the connection was closed.
    /// </summary>
    public long Abandoned { get; init; }

    /// <summary>Replies to requests that were no longer pending.</summary>
    public long Late { get; init; }
}
