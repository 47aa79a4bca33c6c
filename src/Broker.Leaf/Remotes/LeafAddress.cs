using System.Globalization;
using System.Net;

namespace Broker.Leaf;

/// <summary>The address of a leaf node port, with the credentials in it.</summary>
internal sealed class LeafAddress
{
    internal const int DefaultPort = 7422;

    private const string Form = "The address of a leaf node port must have the form nats-leaf://[user:password@|token@]host[:port]; only ws and wss may have a path.";

    private string _scheme = "";

    private LeafAddress(string host, int port) => (Host, Port, TlsHost) = (host, port, host);

    internal string Host { get; }

    internal int Port { get; }

    internal string? User { get; private init; }

    internal string? Password { get; private init; }

    internal string? Token { get; private init; }

    /// <summary>Whether the connection must use TLS.</summary>
    internal bool IsTls => _scheme is "tls" or "wss";

    /// <summary>The name that the remote's certificate must have.</summary>
    internal string TlsHost { get; private init; }

    /// <summary>The URI of the WebSocket; null if the address is not one of a WebSocket.</summary>
    internal Uri? WebSocketUri { get; private init; }

    internal EndPoint EndPoint => IPAddress.TryParse(Host, out IPAddress? ip) ? new IPEndPoint(ip, Port) : new DnsEndPoint(Host, Port);

    /// <exception cref="FormatException">The text is not an address.</exception>
    internal static LeafAddress Parse(string text)
    {
        text = text.Trim();
        int at = text.IndexOf("://", StringComparison.Ordinal);
        string scheme = at < 0 ? "" : text[..at].ToLowerInvariant();
        if (scheme is not ("nats-leaf" or "nats" or "tls" or "ws" or "wss"))
        {
            throw new FormatException("The scheme of a leaf node address must be nats-leaf, nats, tls, ws or wss.");
        }

        // The text is not repeated in the error, because it may contain a password.
        string rest = text[(at + "://".Length)..];
        if (!Uri.TryCreate("nats://" + rest, UriKind.Absolute, out Uri? uri) || uri.Host.Length == 0)
        {
            throw new FormatException(Form);
        }

        bool isWebSocket = scheme is "ws" or "wss";
        if (uri.Query.Length != 0 || (!isWebSocket && uri.AbsolutePath is not ("" or "/")))
        {
            throw new FormatException(Form);
        }

        string[] parts = uri.UserInfo.Split(':', 2);
        string? first = parts[0].Length == 0 ? null : Uri.UnescapeDataString(parts[0]);
        bool hasPassword = parts.Length == 2;
        int port = uri.Port < 0 ? DefaultPort : uri.Port;
        return new LeafAddress(uri.DnsSafeHost, port)
        {
            _scheme = scheme,
            User = hasPassword ? first : null,
            Password = hasPassword ? Uri.UnescapeDataString(parts[1]) : null,
            Token = hasPassword ? null : first,
            WebSocketUri = isWebSocket ? new UriBuilder(scheme, uri.IdnHost, port, uri.AbsolutePath.TrimEnd('/') + "/leafnode").Uri : null,
        };
    }

    /// <summary>Returns an address as text without credentials. Returns "?" if the address is not valid.</summary>
    internal static string Describe(string text)
    {
        try
        {
            return Parse(text).ToString();
        }
        catch (FormatException)
        {
            return "?";
        }
    }

    /// <summary>
    /// Returns the address of another server of the same cluster, with the scheme and the credentials of this address.
    /// Returns null if the text is not a host and a port.
    /// </summary>
    internal LeafAddress? ParseListed(string hostAndPort)
    {
        LeafAddress found;
        try
        {
            found = Parse($"{_scheme}://{hostAndPort}");
        }
        catch (FormatException)
        {
            return null;
        }

        // A remote must not choose the name that its certificate is compared with. An IP address is in few
        // certificates, so a configured IP address is no such name.
        bool hasName = !IPAddress.TryParse(TlsHost, out _);
        return new LeafAddress(found.Host, found.Port)
        {
            _scheme = _scheme,
            User = User,
            Password = Password,
            Token = Token,
            TlsHost = hasName ? TlsHost : found.Host,
            WebSocketUri = WebSocketUri is { } uri ? new UriBuilder(uri) { Host = found.Host, Port = found.Port }.Uri : null,
        };
    }

    internal bool IsSameServer(LeafAddress other) => Port == other.Port && string.Equals(Host, other.Host, StringComparison.OrdinalIgnoreCase);

    /// <summary>Returns host and port, without credentials.</summary>
    public override string ToString()
        => string.Create(CultureInfo.InvariantCulture, $"{(Host.Contains(':', StringComparison.Ordinal) ? $"[{Host}]" : Host)}:{Port}");
}
