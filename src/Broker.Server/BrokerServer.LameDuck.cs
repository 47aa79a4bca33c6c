namespace Broker.Server;

// Lame duck mode: the server asks clients to move to another server and then closes the remaining ones one by one.
public sealed partial class BrokerServer
{
    /// <summary>
    /// Enters lame duck mode: closes the listeners, asks clients by an INFO with <c>ldm:true</c> to move to another
    /// server, waits for the grace period, and then closes the remaining clients one by one. In-process clients stay
    /// connected; call <see cref="DrainAsync"/> afterwards to close them.
    /// </summary>
    /// <param name="duration">
    /// The longest time that the whole operation takes. If there are few clients, they are closed at most a second
    /// apart and the operation ends earlier.
    /// </param>
    /// <param name="gracePeriod">The part of the duration in which clients may disconnect by themselves.</param>
    /// <param name="cancellationToken">Ends the operation early; the remaining clients stay connected.</param>
    /// <returns>A task that completes when no client with a socket is connected.</returns>
    /// <exception cref="ArgumentOutOfRangeException">
    /// A time is negative, or the grace period is longer than the duration.
    /// </exception>
    public async Task EnterLameDuckAsync(
        TimeSpan duration, TimeSpan gracePeriod, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(gracePeriod, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfLessThan(duration, gracePeriod);
        StopAccepting();
        await new LameDuck(_core).RunAsync(duration, gracePeriod, cancellationToken).ConfigureAwait(false);
    }
}
