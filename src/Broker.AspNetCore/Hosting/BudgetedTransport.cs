using System.Net;
using Broker.Transport;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Broker.AspNetCore;

/// <summary>
/// A transport for Kestrel. Its sockets count against the process's limit of open files, like the sockets of every
/// other listener. If the limit is reached, it closes a new connection right after the accept. Kestrel's own transport
/// would retry a failed accept in a loop while no file descriptor is free.
/// </summary>
internal sealed class BudgetedTransport(ConnectionBudget budget, IOptions<SocketTransportOptions> options, ILoggerFactory loggers)
    : IConnectionListenerFactory
{
    private readonly SocketTransportFactory _sockets = new(options, loggers);

    public async ValueTask<IConnectionListener> BindAsync(EndPoint endpoint, CancellationToken cancellationToken = default)
        => new Listener(budget, await _sockets.BindAsync(endpoint, cancellationToken).ConfigureAwait(false));

    private sealed class Listener(ConnectionBudget budget, IConnectionListener sockets) : IConnectionListener
    {
        public EndPoint EndPoint => sockets.EndPoint;

        // There is one accept at a time, and a refused connection is closed before the next accept. So many clients
        // cannot use up the file descriptors that the budget reserves.
        public async ValueTask<ConnectionContext?> AcceptAsync(CancellationToken cancellationToken = default)
        {
            while (true)
            {
                ConnectionContext? connection = await sockets.AcceptAsync(cancellationToken).ConfigureAwait(false);
                if (connection is null)
                {
                    return null;
                }

                if (budget.TryTake())
                {
                    connection.ConnectionClosed.UnsafeRegister(static b => ((ConnectionBudget)b!).Release(), budget);
                    return connection;
                }

                connection.Abort();
                await connection.DisposeAsync().ConfigureAwait(false);
            }
        }

        public ValueTask UnbindAsync(CancellationToken cancellationToken = default) => sockets.UnbindAsync(cancellationToken);

        public ValueTask DisposeAsync() => sockets.DisposeAsync();
    }
}
