using System.Net;
using Broker.ZeroMq.Endpoints;

namespace Broker.Bridge.Routes;

/// <summary>Where ZeroMQ programs are found.</summary>
/// <param name="Bind">Whether they connect to us; otherwise we connect to them, and they bind.</param>
/// <param name="Endpoint">As ZeroMQ writes it: <c>tcp://127.0.0.1:5556</c>, <c>tcp://*:5556</c>, <c>ipc:///run/feed</c>.</param>
public sealed record BridgeEndpoint(bool Bind, string Endpoint)
{
    /// <summary>
    /// Who may connect, where programs do: addresses and networks; everybody else is turned away before the handshake. Programs by ipc
    /// have no address. Default: everybody.
    /// </summary>
    public IReadOnlyList<IPNetwork> AllowedAddresses { get; init; } = [];

    /// <exception cref="FormatException">It is no endpoint, or has a wildcard and is to be connected to.</exception>
    /// <exception cref="ArgumentException">Something is null.</exception>
    internal void Validate()
    {
        ArgumentNullException.ThrowIfNull(AllowedAddresses);
        ZeroMqEndpoint endpoint = ZeroMqEndpoint.Parse(Endpoint);
        if (endpoint.IsInproc)
        {
            throw new FormatException($"'{Endpoint}' cannot be bridged: inproc:// is for sockets of one context.");
        }

        if (!Bind && endpoint.IsWildcard)
        {
            throw new FormatException($"'{Endpoint}' cannot be connected to: it has a wildcard.");
        }
    }
}
