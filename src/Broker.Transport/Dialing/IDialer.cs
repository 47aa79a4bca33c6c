namespace Broker.Transport;

/// <summary>
/// Makes connections to one peer, over a socket, a pipe or in memory. Any thread; the same dialer may be used again
/// for every reconnect, and by several callers at a time.
/// </summary>
public interface IDialer
{
    /// <summary>Connects once.</summary>
    /// <param name="loop">The loop that the connection will belong to.</param>
    /// <param name="handler">
    /// The handler of the caller's side; its <see cref="ConnectionHandler.OnOpened"/> may run before the method
    /// returns.
    /// </param>
    /// <param name="cancellationToken">Cancels the attempt.</param>
    /// <returns>The connection, which the caller owns. Any exception counts as a failed attempt.</returns>
    ValueTask<Connection> DialAsync(EventLoop loop, ConnectionHandler handler, CancellationToken cancellationToken = default);
}
