using Broker.Protocol;

namespace Broker.Server;

/// <summary>
/// A subscription in the exporting account's router that a stream import adds for a client's subscription. It delivers
/// to the client's own subscription, which counts the messages, and it ends together with that subscription.
/// </summary>
/// <param name="origin">The client's subscription.</param>
/// <param name="mapping">The mapping of the import.</param>
/// <param name="filter">The filter in the exporting account.</param>
/// <param name="reservations">The reserved subjects of the importing account. Nothing is imported under them.</param>
internal sealed class StreamImportSubscription(
    Subscription origin, ImportMapping mapping, byte[] filter, Reservations reservations)
    : ShadowSubscription(origin, filter)
{
    internal override RenamedDelivery? Resolve(ReadOnlySpan<byte> subject)
    {
        byte[]? local = mapping.ToLocal(subject);
        return local is null || !Subject.Matches(Origin.Filter, local)
            || reservations.Subjects?.Match(local, default).Plain == true
            || (Origin.Access is { LimitsReceiving: true } access && !access.MayReceive(local, Origin.Queue))
            ? null
            : new RenamedDelivery(Origin, Route.InOtherAccount(local));
    }
}
