using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Broker.ZeroMq.Endpoints;

public sealed partial class ZeroMqEndpoint
{
    private const string TcpScheme = "tcp://";
    private const string IpcScheme = "ipc://";
    private const string InprocScheme = "inproc://";

    // As libzmq.
    private const int MaxNameLength = 256;

    // sun_path has 108 octets on Linux and 104 on macOS, one of them for the end.
    private const int MaxPathOctets = 103;

    /// <summary>Parses an endpoint.</summary>
    /// <exception cref="FormatException">It is none; the message says why.</exception>
    public static ZeroMqEndpoint Parse(string text) =>
        TryParse(text, out var endpoint, out string? error) ? endpoint : throw new FormatException($"'{text}' is not an endpoint: {error}.");

    /// <summary>Parses an endpoint; on failure <paramref name="error"/> is a phrase that says why.</summary>
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
            _ => "it begins with none of tcp://, ipc:// and inproc://",
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
        string? error = ParseAddress(text[..semicolon], out var source);
        if (error is not null)
        {
            return "in the source before the semicolon " + error;
        }

        error = ParseAddress(text[(semicolon + 1)..], out var destination);
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
            return "the port is neither a number from 0 to 65535 nor *";
        }

        string host = text[..colon];
        IPAddress? address = null;
        if (host is ['[', .., ']'])
        {
            if (!IPAddress.TryParse(host[1..^1], out address) || address.AddressFamily != AddressFamily.InterNetworkV6)
            {
                return "there is no IPv6 address in the brackets";
            }
        }
        else if (host.Contains(':', StringComparison.Ordinal))
        {
            return "an IPv6 address must stand in brackets";
        }
        else if (host is not AnyHost && Uri.CheckHostName(host) is UriHostNameType.Unknown)
        {
            return host.Length == 0 ? "the host is missing" : "the host is neither an address nor a name";
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
            return "the path is missing or not a path";
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
