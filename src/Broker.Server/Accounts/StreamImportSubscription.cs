using Broker.Protocol.Subjects;
using Broker.Server.Routing;

namespace Broker.Server.Accounts;

/// <summary>
/// What a client's subscription gets by a stream import: it stands in the exporting account's router and leads to the
/// client's own, which counts, and whose end is its end.
/// </summary>
internal sealed class StreamImportSubscription(Subscription origin, SubjectMapping mapping, byte[] filter)
    : ShadowSubscription(origin, filter)
{
    internal override RenamedDelivery? Resolve(ReadOnlySpan<byte> subject)
    {
        byte[]? local = mapping.ToLocal(subject);
        return local is null || !Subject.Matches(Origin.Filter, local)
            || (Origin.Access is { LimitsReceiving: true } access && !access.MayReceive(local, Origin.Queue))
            ? null
            : new RenamedDelivery(Origin, Route.Image(local));
    }
}
