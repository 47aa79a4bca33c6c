namespace Broker.Server.Routing;

/// <summary>The members of one queue group that a subject has: one of them is sent the message. Immutable.</summary>
/// <param name="Members">Those who get it by the name it was published under.</param>
/// <param name="Renamed">Those who get it by another name; they come after the members.</param>
internal sealed record QueueGroup(Subscription[] Members, RenamedDelivery[] Renamed)
{
    internal int Count => Members.Length + Renamed.Length;

    /// <summary>About how many bytes it holds.</summary>
    internal long Cost => (IntPtr.Size * (long)Members.Length) + Renamed.Sum(static r => r.Route.Cost);
}
