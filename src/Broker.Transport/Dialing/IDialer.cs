namespace Broker.Transport;

/// <summary>
/// Makes connections to one peer, over a socket, a pipe or in memory. Any thread. A caller may use the same dialer
/// again for every reconnect, and several callers may use it at the same time.
/// </summary>
public interface IDialer
{
    /// <summary>Connects once.</summary>
    /// <param name="loop">The loop that the connection will belong to.</param>
    /// <param name="handler">
    /// The handler of the caller's side. Its <see cref="ConnectionHandler.OnOpened"/> may run before the method
    /// returns.
    /// </param>
    /// <param name="cancellationToken">Cancels the attempt.</param>
    /// <returns>
    /// The connection, which the caller owns. If the method throws any exception, the attempt has failed.
    /// </returns>
    ValueTask<Connection> DialAsync(EventLoop loop, ConnectionHandler handler, CancellationToken cancellationToken = default);
}
