using Broker.Bridge.Routes;

namespace Broker.Bridge.Raw;

/// <summary>What a raw route has done, at a moment.</summary>
/// <remarks>
/// <see cref="RouteSnapshot.FromSubjects"/> is the sum of <see cref="RouteSnapshot.ToZeroMq"/>, <see cref="Unroutable"/>, <see cref="Full"/> and what of
/// <see cref="RouteSnapshot.Refused"/> came from subjects.
/// </remarks>
public sealed record RawRouteSnapshot : RouteSnapshot
{
    /// <summary>Messages for an identity that nobody has.</summary>
    public long Unroutable { get; init; }

    /// <summary>Messages for somebody whose mark was reached, or when nobody was there.</summary>
    public long Full { get; init; }
}
