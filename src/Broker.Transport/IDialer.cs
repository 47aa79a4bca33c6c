namespace Broker.Transport;

/// <summary>
/// Makes connections to one peer, whatever lies between: a socket, a pipe, or nothing but memory. Any thread; the same dialer may be
/// used again for every reconnect, and by several at a time.
/// </summary>
public interface IDialer
{
    /// <summary>Connects once.</summary>
    /// <param name="loop">The loop the connection will belong to.</param>
    /// <param name="handler">The caller's side of the protocol; its <see cref="ConnectionHandler.OnOpened"/> may run before the return.</param>
    /// <param name="cancellationToken">Gives the attempt up.</param>
    /// <returns>The connection, which the caller owns. Whatever is thrown counts as a failed attempt.</returns>
    ValueTask<Connection> DialAsync(EventLoop loop, ConnectionHandler handler, CancellationToken cancellationToken = default);
}
