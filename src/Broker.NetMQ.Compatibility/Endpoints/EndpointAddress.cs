using System.Globalization;
using System.Net;

namespace NetMQ;

/// <summary>The checks of an address, which throw what NetMQ throws.</summary>
internal static class EndpointAddress
{
    private const string Inproc = "inproc://";
    private const string Tcp = "tcp://";

    internal static bool IsInproc(string address) => address.StartsWith(Inproc, StringComparison.Ordinal);

    /// <summary>Throws if an address does not have the form that its transport needs.</summary>
    internal static void Check(string address)
    {
        int scheme = address.IndexOf("://", StringComparison.Ordinal);
        ArgumentOutOfRangeException.ThrowIfNegative(scheme, nameof(address));
        switch (address[..scheme])
        {
            case "tcp":
                CheckPort(address);
                break;
            case "inproc" or "ipc":
                break;
            default:
                throw new ProtocolNotSupportedException(
                    null, $"The transport of {address} is not supported: it must be tcp, ipc or inproc.");
        }
    }

    /// <summary>Throws if an address cannot have a port.</summary>
    internal static void RequireTcp(string address)
    {
        if (!address.StartsWith(Tcp, StringComparison.Ordinal))
        {
            throw new ProtocolNotSupportedException(null, "Only tcp:// has ports.");
        }
    }

    /// <summary>Throws if an address is not of the transport within the process.</summary>
    internal static void RequireInproc(string address)
    {
        if (!IsInproc(address))
        {
            throw new ProtocolNotSupportedException(
                null, $"The transport of {address} is not supported here: it must be inproc.");
        }
    }

    /// <summary>The port at the end of an address.</summary>
    internal static int PortOf(string address)
        => int.Parse(address.AsSpan(address.LastIndexOf(':') + 1), NumberStyles.None, CultureInfo.InvariantCulture);

    private static void CheckPort(string address)
    {
        int colon = address.LastIndexOf(':');
        if (colon < Tcp.Length)
        {
            throw new InvalidException(null!, $"The port is missing in {address}.");
        }

        string port = address[(colon + 1)..];
        if (port is not "*")
        {
            int number = int.Parse(port, CultureInfo.InvariantCulture);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(number, IPEndPoint.MaxPort, nameof(address));
        }
    }
}
