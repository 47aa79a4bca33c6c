using System.Net;
using System.Net.Sockets;

namespace Broker.Cli.Settings;

/// <summary>Where to listen: a name, an address or <c>*</c>, and a port, of which 0 takes a free one.</summary>
internal sealed record ListenAddress(string Host, int Port)
{
    /// <summary>What <see cref="TryParse"/> takes, in words for a message.</summary>
    public const string Shape = "a text such as \"127.0.0.1:4222\"";

    /// <summary>What <see cref="ParseHost"/> takes, in words for a message.</summary>
    public const string HostShape = "a name, an address, or * for all of IPv4 and IPv6";

    /// <summary>All addresses of IPv4 and IPv6.</summary>
    private const string Everywhere = "*";

    /// <summary>
    /// Null when it is none. Without a host it is every address of IPv4, and port -1 takes a free one; 0 is none, since
    /// nats-server means by it something else in each place.
    /// </summary>
    public static ListenAddress? TryParse(string text)
    {
        bool free = text.EndsWith(":-1", StringComparison.Ordinal);
        if (!HostAndPort.TryParse(free ? text[..^2] + "0" : text, out string host, out int port) || (port == 0 && !free))
        {
            return null;
        }

        return ParseHost(host.Length == 0 ? "0.0.0.0" : host) is { } good ? new(good, port) : null;
    }

    /// <summary>The host without the brackets that an IPv6 address may have; null when it is none.</summary>
    public static string? ParseHost(string text)
    {
        string host = text is ['[', .. var inner, ']'] && inner.Contains(':', StringComparison.Ordinal) ? inner : text;
        return host == Everywhere || Uri.CheckHostName(host) is not UriHostNameType.Unknown ? host : null;
    }

    /// <summary>A name may stand for several addresses, such as localhost for that of IPv4 and of IPv6; the first is the usual one.</summary>
    /// <exception cref="ServeStartException">The name is not known.</exception>
    public async Task<IPEndPoint> ResolveAsync(CancellationToken cancellationToken)
    {
        if (Host == Everywhere)
        {
            return new IPEndPoint(Socket.OSSupportsIPv6 ? IPAddress.IPv6Any : IPAddress.Any, Port);
        }

        // Those that stand for all addresses can be listened at, though the resolver refuses them.
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
