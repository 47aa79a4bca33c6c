using Broker.AspNetCore;
using Broker.Server;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.DependencyInjection;

namespace Microsoft.AspNetCore.Hosting;

/// <summary>Extension methods that let NATS clients connect to a server at a port of Kestrel.</summary>
public static class BrokerConnections
{
    /// <summary>
    /// Serves NATS clients at this port with the <see cref="BrokerServer"/> from the application's services:
    /// <c>kestrel.ListenAnyIP(4222, listen => listen.UseBroker())</c>.
    /// </summary>
    /// <inheritdoc cref="UseBroker(IConnectionBuilder, BrokerServer)"/>
    /// <exception cref="InvalidOperationException">The services contain no server.</exception>
    public static IConnectionBuilder UseBroker(this IConnectionBuilder connections)
    {
        ArgumentNullException.ThrowIfNull(connections);
        IServiceProvider services = connections.ApplicationServices;
        if (services.GetService<IServiceProviderIsService>()?.IsService(typeof(BrokerServer)) == false)
        {
            throw new InvalidOperationException(
                $"The services contain no {nameof(BrokerServer)}: call AddBroker() of Broker.Hosting, or pass a server to {nameof(UseBroker)}.");
        }

        // The server is resolved for the first client, because the host has not started when its ports are configured.
        return Use(connections, new KestrelPort(services.GetRequiredService<BrokerServer>));
    }

    /// <summary>Serves NATS clients at this port.</summary>
    /// <remarks>
    /// <para>Kestrel accepts the connections and runs its middleware first. If <c>UseHttps</c> is called before this
    /// method, the port uses TLS from the first byte ("handshake first"), whatever TLS options the server's own
    /// addresses have. <see cref="BrokerServerOptions.Authorize"/> then receives the client's certificate.</para>
    /// <para>The server treats these clients like all others: it checks users and limits, and closes slow consumers.
    /// When the application stops, the server drains these clients: it reads no more from them, delivers their queued
    /// messages and closes their connections.</para>
    /// </remarks>
    /// <param name="connections">The port, usually <c>ListenOptions</c>.</param>
    /// <param name="server">The server for the clients. The caller still owns it.</param>
    /// <returns>The same builder, for chained calls.</returns>
    public static IConnectionBuilder UseBroker(this IConnectionBuilder connections, BrokerServer server)
    {
        ArgumentNullException.ThrowIfNull(connections);
        ArgumentNullException.ThrowIfNull(server);
        return Use(connections, new KestrelPort(() => server));
    }

    private static IConnectionBuilder Use(IConnectionBuilder connections, KestrelPort port) => connections.Run(port.ServeAsync);
}
