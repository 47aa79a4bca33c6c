using Broker.Protocol;

namespace Broker.Server;

/// <summary>
/// A subscription in the exporting account's router that a stream import adds for a client's subscription. It delivers
/// to the client's own subscription, which counts the messages, and it ends together with that subscription.
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
            : new RenamedDelivery(Origin, Route.InOtherAccount(local));
    }
}
