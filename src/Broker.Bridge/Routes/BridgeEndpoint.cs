using System.Net;
using Broker.ZeroMq;

namespace Broker.Bridge;

/// <summary>A ZeroMQ endpoint that a route binds or connects to.</summary>
/// <param name="Bind">
/// Whether the route binds the endpoint and ZeroMQ programs connect. If false, the route connects and a ZeroMQ program
/// binds.
/// </param>
/// <param name="Endpoint">
/// The endpoint in ZeroMQ's notation: <c>tcp://127.0.0.1:5556</c>, <c>tcp://*:5556</c>, <c>ipc:///run/feed</c>.
/// </param>
public sealed record BridgeEndpoint(bool Bind, string Endpoint)
{
    /// <summary>
    /// The addresses and networks from which programs may connect to a bound endpoint. The bridge closes connections
    /// from other addresses before the handshake. Programs that connect through ipc have no address and are not
    /// restricted. Default: all addresses.
    /// </summary>
    public IReadOnlyList<IPNetwork> AllowedAddresses { get; init; } = [];

    /// <exception cref="FormatException">
    /// The endpoint is not valid, or it has a wildcard although the route connects to it.
    /// </exception>
    /// <exception cref="ArgumentException">A property is null.</exception>
    internal void Validate()
    {
        ArgumentNullException.ThrowIfNull(AllowedAddresses);
        ZeroMqEndpoint endpoint = ZeroMqEndpoint.Parse(Endpoint);
        if (endpoint.IsInproc)
        {
            throw new FormatException(
                $"'{Endpoint}' cannot be bridged: inproc:// connects sockets of one context only.");
        }

        if (!Bind && endpoint.IsWildcard)
        {
            throw new FormatException($"'{Endpoint}' cannot be connected to: it must not contain a wildcard.");
        }
    }
}
