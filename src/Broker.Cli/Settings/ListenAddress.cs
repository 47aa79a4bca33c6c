using System.Net;
using System.Net.Sockets;

namespace Broker.Cli.Settings;

/// <summary>
/// An address to listen on: a host name, an IP address or <c>*</c>, and a port. Port 0 takes a free port.
/// </summary>
internal sealed record ListenAddress(string Host, int Port)
{
    /// <summary>Describes the input of <see cref="ParseOrNull"/> for error messages.</summary>
    public const string Shape = "a text such as \"127.0.0.1:4222\"";

    /// <summary>Describes the input of <see cref="ParseHost"/> for error messages.</summary>
    public const string HostShape = "a host name, an IP address, or * for all IPv4 and IPv6 addresses";

    /// <summary>All IPv4 and IPv6 addresses of the machine.</summary>
    private const string Everywhere = "*";

    /// <summary>
    /// Returns the address, or null if the text is invalid. Without a host, the result is all IPv4 addresses. Port -1
    /// takes a free port. Port 0 is invalid, because nats-server gives it a different meaning for each key.
    /// </summary>
    public static ListenAddress? ParseOrNull(string text)
    {
        bool free = text.EndsWith(":-1", StringComparison.Ordinal);
        if (!HostAndPort.TryParse(free ? text[..^2] + "0" : text, out string host, out int port) || (port == 0 && !free))
        {
            return null;
        }

        return ParseHost(host.Length == 0 ? "0.0.0.0" : host) is { } good ? new(good, port) : null;
    }

    /// <summary>Returns the host, without the brackets of an IPv6 address, or null if the text is not a host.</summary>
    public static string? ParseHost(string text)
    {
        string host = text is ['[', .. var inner, ']'] && inner.Contains(':', StringComparison.Ordinal) ? inner : text;
        return host == Everywhere || Uri.CheckHostName(host) is not UriHostNameType.Unknown ? host : null;
    }

    /// <summary>
    /// Resolves the host. If a name has several addresses, such as localhost, IPv4 is preferred to IPv6.
    /// </summary>
    /// <exception cref="ServeStartException">The name does not resolve to an address.</exception>
    public async Task<IPEndPoint> ResolveAsync(CancellationToken cancellationToken)
    {
        if (Host == Everywhere)
        {
            return new IPEndPoint(Socket.OSSupportsIPv6 ? IPAddress.IPv6Any : IPAddress.Any, Port);
        }

        // The resolver refuses 0.0.0.0 and ::, but a server can listen on them.
        if (IPAddress.TryParse(Host, out IPAddress? address))
        {
            return new IPEndPoint(address, Port);
        }

        try
        {
            IPAddress[] found = await Dns.GetHostAddressesAsync(Host, cancellationToken);
            return found.Length > 0
                ? new IPEndPoint(found.OrderBy(a => a.AddressFamily).First(), Port)
                : throw new SocketException((int)SocketError.HostNotFound);
        }
        catch (SocketException e)
        {
            throw ServeStartException.CannotListen(ToString(), e);
        }
    }

    public override string ToString() => HostAndPort.Format(Host, Port);
}
