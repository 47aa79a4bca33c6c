namespace Broker.Bridge;

/// <summary>The counters of a raw route at one moment.</summary>
/// <remarks>
/// <see cref="RouteSnapshot.FromSubjects"/> is the sum of <see cref="RouteSnapshot.ToZeroMq"/>,
/// <see cref="Unroutable"/>, <see cref="Full"/> and the messages from subjects in <see cref="RouteSnapshot.Refused"/>.
/// </remarks>
public sealed record RawRouteSnapshot : RouteSnapshot
{
    /// <summary>Messages for an identity that no connected peer has.</summary>
    public long Unroutable { get; init; }

    /// <summary>
    /// Messages dropped because the receiver had reached its high-water mark or no peer was connected.
    /// </summary>
    public long Full { get; init; }
}
