using Broker.Transport;

namespace Broker.Client;

/// <summary>
/// Makes a transport to a server: a connection of <paramref name="loop"/> whose handler is <paramref name="handler"/>.
/// An embedded server is reached through <see cref="Broker.Transport.InProcess.InProcessLink"/> in this way.
/// Called anew for every connect and reconnect, on a thread of the pool; what it throws counts as a failed attempt.
/// </summary>
public delegate Task<Connection> TransportDialer(EventLoop loop, ConnectionHandler handler, CancellationToken cancellationToken);
