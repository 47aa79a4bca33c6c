using System.Net;
using Broker.Transport;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Broker.AspNetCore;

/// <summary>
/// Kestrel's sockets, which count against the files that the process may have open like those of every other listener: one too many
/// is closed where it was accepted. Kestrel's own accept asks again at once when there is no file left, for as long as that lasts.
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

        // One after the other: what is refused is closed before the next one is accepted, so that a rush cannot use up the reserve.
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
