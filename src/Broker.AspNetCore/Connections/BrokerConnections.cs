using Broker.AspNetCore;
using Broker.Server;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.DependencyInjection;

namespace Microsoft.AspNetCore.Hosting;

/// <summary>Makes a port of Kestrel's one at which NATS clients connect to a server.</summary>
public static class BrokerConnections
{
    /// <summary>
    /// Serves NATS clients at this port, with the server among the application's services:
    /// <c>kestrel.ListenAnyIP(4222, listen => listen.UseBroker())</c>.
    /// </summary>
    /// <inheritdoc cref="UseBroker(IConnectionBuilder, BrokerServer)"/>
    /// <exception cref="InvalidOperationException">There is no server among the services.</exception>
    public static IConnectionBuilder UseBroker(this IConnectionBuilder connections)
    {
        ArgumentNullException.ThrowIfNull(connections);
        IServiceProvider services = connections.ApplicationServices;
        if (services.GetService<IServiceProviderIsService>()?.IsService(typeof(BrokerServer)) == false)
        {
            throw new InvalidOperationException(
                $"There is no {nameof(BrokerServer)} among the services: add one, as AddBroker() of Broker.Hosting does, or name one to {nameof(UseBroker)}.");
        }

        // Asked for with the first client: while ports are set up the host has not started.
        return Use(connections, new KestrelPort(services.GetRequiredService<BrokerServer>));
    }

    /// <summary>Serves NATS clients at this port.</summary>
    /// <remarks>
    /// Kestrel accepts, and its middleware comes first: with <c>UseHttps</c> before this the port speaks TLS from the first byte, as clients with
    /// "handshake first" expect it, whatever TLS the server has for its own addresses; and a certificate that the client has shown there is what
    /// <see cref="BrokerServerOptions.Authorize"/> is given. All else is the server's: users, limits, slow consumers. When the application stops,
    /// such clients are sent away as by a drain: nothing more is read of them, and what is queued for them is delivered.
    /// </remarks>
    /// <param name="connections">The port, as a rule <c>ListenOptions</c>.</param>
    /// <param name="server">Whose clients they are. It is not owned.</param>
    /// <returns>The same, for more.</returns>
    public static IConnectionBuilder UseBroker(this IConnectionBuilder connections, BrokerServer server)
    {
        ArgumentNullException.ThrowIfNull(connections);
        ArgumentNullException.ThrowIfNull(server);
        return Use(connections, new KestrelPort(() => server));
    }

    private static IConnectionBuilder Use(IConnectionBuilder connections, KestrelPort port) => connections.Run(port.ServeAsync);
}
