using System.Net;
using System.Net.Sockets;
using Broker.ZeroMq;

namespace Broker.Bridge;

/// <summary>A ZeroMQ endpoint that a route binds or connects to.</summary>
/// <param name="Bind">
/// Whether the route binds the endpoint and ZeroMQ programs connect. If false, the route connects and a ZeroMQ program
/// binds.
/// </param>
/// <param name="Endpoint">
/// The endpoint in ZeroMQ's notation: <c>tcp://127.0.0.1:5556</c>, <c>tcp://*:5556</c>, <c>ipc:///run/feed</c>, or
/// <c>inproc://feed</c> for sockets of this process that use <see cref="ZeroMqBridge.Context"/>.
/// </param>
public sealed record BridgeEndpoint(bool Bind, string Endpoint)
{
    /// <summary>
    /// The addresses and networks from which programs may connect to a bound endpoint. The bridge closes connections
    /// from other addresses before the handshake. Programs that connect through ipc or inproc have no address and are
    /// not restricted. Default: all addresses.
    /// </summary>
    public IReadOnlyList<IPNetwork> AllowedAddresses { get; init; } = [];

    /// <summary>
    /// Parses an address or a network for <see cref="AllowedAddresses"/>. Only the usual notation is valid: shortened
    /// forms such as <c>10.1</c>, and octal or hexadecimal parts, would mean another address than the reader expects.
    /// </summary>
    /// <param name="text">An address such as <c>10.1.2.3</c>, or a network such as <c>10.0.0.0/8</c>.</param>
    /// <param name="network">The network; for a single address, the network that contains only this address.</param>
    /// <returns>Whether the text is valid.</returns>
    public static bool TryParseAllowed(string text, out IPNetwork network)
    {
        ArgumentNullException.ThrowIfNull(text);
        network = default;
        string[] parts = text.Split('/');
        if (parts.Length > 2 || !IPAddress.TryParse(parts[0], out IPAddress? address) || !IsUsualNotation(parts[0], address))
        {
            return false;
        }

        if (parts.Length == 2)
        {
            return parts[1] is "0" or [not '0', ..] && IPNetwork.TryParse(text, out network);
        }

        network = new IPNetwork(address, address.GetAddressBytes().Length * 8);
        return true;
    }

    // Every notation of an IPv6 address is unambiguous, except with a zone.
    private static bool IsUsualNotation(string text, IPAddress address) => address.AddressFamily == AddressFamily.InterNetworkV6
        ? !text.Contains('%', StringComparison.Ordinal) && !text.Contains('[', StringComparison.Ordinal)
        : string.Equals(address.ToString(), text, StringComparison.Ordinal);

    /// <exception cref="FormatException">
    /// The endpoint is not valid, or it has a wildcard although the route connects to it.
    /// </exception>
    /// <exception cref="ArgumentException">A property is null.</exception>
    internal void Validate()
    {
        ArgumentNullException.ThrowIfNull(AllowedAddresses);
        var endpoint = ZeroMqEndpoint.Parse(Endpoint);
        if (!Bind && endpoint.IsWildcard)
        {
            throw new FormatException($"'{Endpoint}' cannot be connected to: it must not contain a wildcard.");
        }
    }
}
