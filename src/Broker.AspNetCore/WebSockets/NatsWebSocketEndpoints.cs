using Broker.AspNetCore;
using Broker.Server;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Lets NATS clients connect to a server by WebSocket through a web application.</summary>
public static class NatsWebSocketEndpoints
{
    /// <summary>
    /// Maps a path at which NATS clients connect by WebSocket (RFC 6455), with the subprotocol <c>nats</c> or none. The
    /// options of <see cref="NatsWebSocketHost"/> (certificate, handshake) have no effect here: the application
    /// configures its own host.
    /// </summary>
    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    public static IEndpointConventionBuilder MapBrokerWebSocket(
        this IEndpointRouteBuilder endpoints, string pattern, BrokerServer server, NatsWebSocketOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentNullException.ThrowIfNull(server);
        return endpoints.Map(pattern, endpoints.CreateWebSocketDelegate(server, options ?? new NatsWebSocketOptions()));
    }

    internal static RequestDelegate CreateWebSocketDelegate(
        this IEndpointRouteBuilder endpoints, BrokerServer server, NatsWebSocketOptions options)
    {
        options = options.Copy();
        options.Validate();
        var endpoint = new NatsWebSocketEndpoint(server, options);
        IApplicationBuilder branch = endpoints.CreateApplicationBuilder();
        branch.UseWebSockets();
        branch.Run(endpoint.AcceptAsync);
        return branch.Build();
    }
}
