using Broker.Protocol.Subjects;
using Broker.Server.Routing;

namespace Broker.Server.Accounts;

/// <summary>
/// What a client's subscription gets by a stream import: it stands in the exporting account's router and leads to the
/// client's own, which counts, and whose end is its end.
/// </summary>
internal sealed class ShadowSubscription(Subscription origin, SubjectMapping mapping, byte[] filter)
    : BeyondSubscription(origin.Session, filter, origin.Queue)
{
    /// <summary>Null when the client may not receive the subject by the name that it has there.</summary>
    internal Delivery? Deliver(ReadOnlySpan<byte> subject)
    {
        byte[]? local = mapping.ToLocal(subject);
        return local is null || !Subject.Matches(origin.Filter, local)
            || (origin.Access is { LimitsReceiving: true } access && !access.MayReceive(local, origin.Queue))
            ? null
            : new Delivery(origin, Route.Image(local));
    }
}
