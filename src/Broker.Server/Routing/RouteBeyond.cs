using Broker.Server.Accounts;

namespace Broker.Server.Routing;

/// <summary>The part of a route that leads out of the account. Immutable.</summary>
/// <param name="Plain">Every one of these is sent the message.</param>
/// <param name="Queues">One of each of these is.</param>
/// <param name="Crossings">Each of these does with it what it will.</param>
internal sealed record RouteBeyond(Delivery[] Plain, Delivery[][] Queues, Crossing[] Crossings)
{
    /// <summary>About how many bytes it holds.</summary>
    internal long Cost => (IntPtr.Size * (long)Crossings.Length) + Plain.Sum(d => d.Route.Cost) + Queues.Sum(q => q.Sum(d => d.Route.Cost));
}
