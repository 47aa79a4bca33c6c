using Broker.Server.Lifecycle;

namespace Broker.Server;

// Leaving without a rush: clients are asked to go elsewhere, and then sent away one by one.
public sealed partial class BrokerServer
{
    /// <summary>
    /// Closes the listeners, tells clients with INFO <c>ldm:true</c> to look for another server, waits, and closes those that
    /// have stayed one by one. In-process clients are not sent away: <see cref="DrainAsync"/> comes after this.
    /// </summary>
    /// <param name="duration">How long all of it may take. Few clients are closed faster, at most a second apart.</param>
    /// <param name="gracePeriod">How much of that clients have to leave by themselves.</param>
    /// <param name="cancellationToken">Ends it early; clients that are still there stay.</param>
    /// <returns>Done when no client with a socket is left.</returns>
    /// <exception cref="ArgumentOutOfRangeException">A time is negative, or the grace period is longer than the duration.</exception>
    public async Task EnterLameDuckAsync(TimeSpan duration, TimeSpan gracePeriod, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(gracePeriod, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfLessThan(duration, gracePeriod);
        StopAccepting();
        await new LameDuck(_core).RunAsync(duration, gracePeriod, cancellationToken).ConfigureAwait(false);
    }
}
