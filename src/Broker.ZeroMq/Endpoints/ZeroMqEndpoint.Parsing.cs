using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Broker.ZeroMq;

public sealed partial class ZeroMqEndpoint
{
    private const string TcpScheme = "tcp://";
    private const string IpcScheme = "ipc://";
    private const string InprocScheme = "inproc://";

    // libzmq has the same limit.
    private const int MaxNameLength = 256;

    // The path in sockaddr_un has 108 octets on Linux and 104 on macOS, including the terminating zero.
    private const int MaxPathOctets = 103;

    /// <summary>Parses an endpoint.</summary>
    /// <exception cref="FormatException">The text is not an endpoint. The message says why.</exception>
    public static ZeroMqEndpoint Parse(string text)
        => TryParse(text, out ZeroMqEndpoint? endpoint, out string? error) ? endpoint : throw new FormatException($"'{text}' is not an endpoint: {error}.");

    /// <summary>
    /// Parses an endpoint. If the text is not an endpoint, <paramref name="error"/> is a phrase that says why.
    /// </summary>
    public static bool TryParse(
        string? text, [NotNullWhen(true)] out ZeroMqEndpoint? endpoint, [NotNullWhen(false)] out string? error)
    {
        endpoint = null;
        error = text switch
        {
            null or "" => "it is empty",
            _ when text.StartsWith(TcpScheme, StringComparison.Ordinal) => ParseTcp(text[TcpScheme.Length..], out endpoint),
            _ when text.StartsWith(IpcScheme, StringComparison.Ordinal) => ParseIpc(text[IpcScheme.Length..], out endpoint),
            _ when text.StartsWith(InprocScheme, StringComparison.Ordinal) => ParseInproc(text[InprocScheme.Length..], out endpoint),
            _ => "it must begin with tcp://, ipc:// or inproc://",
        };
        return error is null;
    }

    private static string? ParseTcp(string text, out ZeroMqEndpoint? endpoint)
    {
        int semicolon = text.IndexOf(';', StringComparison.Ordinal);
        if (semicolon < 0)
        {
            return ParseAddress(text, out endpoint);
        }

        endpoint = null;
        string? error = ParseAddress(text[..semicolon], out ZeroMqEndpoint? source);
        if (error is not null)
        {
            return "in the source address before the semicolon, " + error;
        }

        error = ParseAddress(text[(semicolon + 1)..], out ZeroMqEndpoint? destination);
        if (error is null)
        {
            endpoint = new ZeroMqEndpoint(destination!, source!);
        }

        return error;
    }

    private static string? ParseAddress(string text, out ZeroMqEndpoint? endpoint)
    {
        endpoint = null;
        int colon = text.LastIndexOf(':');
        if (colon < 0 || text.EndsWith(']'))
        {
            return "the port is missing";
        }

        if (!TryParsePort(text[(colon + 1)..], out int port))
        {
            return "the port must be a number from 0 to 65535 or *";
        }

        string host = text[..colon];
        IPAddress? address = null;
        if (host is ['[', .., ']'])
        {
            if (!IPAddress.TryParse(host[1..^1], out address) || address.AddressFamily != AddressFamily.InterNetworkV6)
            {
                return "the brackets must contain an IPv6 address";
            }
        }
        else if (host.Contains(':', StringComparison.Ordinal))
        {
            return "an IPv6 address must be in brackets";
        }
        else if (host is not AnyHost && Uri.CheckHostName(host) is UriHostNameType.Unknown)
        {
            return host.Length == 0 ? "the host is missing" : "the host must be an address or a name";
        }
        else
        {
            _ = IPAddress.TryParse(host, out address);
        }

        endpoint = new ZeroMqEndpoint(host, address, port);
        return null;
    }

    private static string? ParseIpc(string path, out ZeroMqEndpoint? endpoint)
    {
        endpoint = null;
        if (path is "" or "@" || path.Contains('\0', StringComparison.Ordinal))
        {
            return "the path is missing or invalid";
        }

        if (Encoding.UTF8.GetByteCount(path) > MaxPathOctets)
        {
            return "the path is longer than 103 octets";
        }

        endpoint = new ZeroMqEndpoint(path, name: null);
        return null;
    }

    private static string? ParseInproc(string name, out ZeroMqEndpoint? endpoint)
    {
        endpoint = null;
        if (name.Length is 0 or > MaxNameLength)
        {
            return name.Length == 0 ? "the name is missing" : "the name is longer than 256 characters";
        }

        endpoint = new ZeroMqEndpoint(path: null, name);
        return null;
    }

    private static bool TryParsePort(string text, out int port)
    {
        port = 0;
        return text is "*"
            || (int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out port) && port <= IPEndPoint.MaxPort);
    }
}
