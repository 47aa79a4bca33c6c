using Broker.Transport;

namespace Broker.Server;

/// <summary>
/// Connects clients of this process to a server without a socket. All clients without credentials have the same user.
/// </summary>
internal sealed class InProcessDialer(BrokerServer server, string? user) : IReservingDialer
{
    public ValueTask<Connection> DialAsync(
        EventLoop loop, ConnectionHandler handler, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        server.ThrowIfShuttingDown();
        return ValueTask.FromResult(server.ConnectInProcess(loop, handler, user));
    }

    public ISubjectReservation Reserve() => new ReservedDialer(server, user);
}
