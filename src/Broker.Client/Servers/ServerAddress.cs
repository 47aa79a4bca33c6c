using System.Net;
using System.Net.Sockets;

namespace Broker.Client;

/// <summary>
/// The address of a server and the credentials in it, parsed from <c>nats://[user:password@|token@]host[:port]</c> or
/// <c>unix://[user:password@|token@]/path</c>. The schemes <c>tls</c>, <c>ws</c> and <c>wss</c> have the same form as
/// <c>nats</c>; <c>ws</c> and <c>wss</c> may also have a path.
/// </summary>
internal sealed class ServerAddress
{
    private const int DefaultPort = 4222;
    private const string Form = "A server's address must have the form nats://[user:password@|token@]host[:port], tls://…, ws://…, wss://… or unix:///path.";

    private ServerAddress(string host, int port) => (Host, Port, TlsHost) = (host, port, host);

    /// <summary>The host name or IP address, or the path of a Unix domain socket.</summary>
    internal string Host { get; }

    internal int Port { get; }

    internal string? User { get; private init; }

    internal string? Password { get; private init; }

    internal string? Token { get; private init; }

    /// <summary>Whether the connection must use TLS.</summary>
    internal bool IsTls { get; private init; }

    /// <summary>The name that the server's certificate must have.</summary>
    internal string TlsHost { get; private init; }

    internal bool IsUnix { get; private init; }

    /// <summary>
    /// The URI of the WebSocket upgrade, without credentials. Null if the address is not a WebSocket address.
    /// </summary>
    internal Uri? WebSocketUri { get; private init; }

    internal EndPoint EndPoint
        => IsUnix ? new UnixDomainSocketEndPoint(Host)
            : IPAddress.TryParse(Host, out IPAddress? ip) ? new IPEndPoint(ip, Port)
            : new DnsEndPoint(Host, Port);

    /// <exception cref="FormatException">The text is not a server address.</exception>
    internal static ServerAddress Parse(string text)
    {
        text = text.Trim();
        string url = text.Contains("://", StringComparison.Ordinal) ? text : "nats://" + text;
        string scheme = url[..url.IndexOf("://", StringComparison.Ordinal)];
        string rest = url[(scheme.Length + 3)..];
        bool unix = IsScheme(scheme, "unix");
        bool tls = IsScheme(scheme, "tls");
        bool wss = IsScheme(scheme, "wss");
        if (wss || IsScheme(scheme, "ws"))
        {
            return ParseWebSocket(rest, wss);
        }

        if (!unix && !tls && !IsScheme(scheme, "nats"))
        {
            throw new FormatException($"The scheme of a server's address must be nats, tls, ws, wss or unix. {Form}");
        }

        return unix ? ParseUnix(rest) : ParseTcp(rest, tls);
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
    /// Parses <c>host:port</c> from an INFO. The result has the credentials of this address. Returns null if the text
    /// is not valid.
    /// </summary>
    internal ServerAddress? ParseListed(string text)
    {
        return Uri.TryCreate("nats://" + text, UriKind.Absolute, out Uri? uri) && uri.Host.Length != 0 && uri.UserInfo.Length == 0
            ? new ServerAddress(uri.DnsSafeHost, uri.Port < 0 ? DefaultPort : uri.Port)
            {
                IsTls = IsTls,
                WebSocketUri = WebSocketUri is { } web ? new UriBuilder(web) { Host = uri.Host, Port = uri.Port < 0 ? web.Port : uri.Port }.Uri : null,
                // The certificates of a cluster usually contain host names, not IP addresses.
                TlsHost = !IsUnix && IPAddress.TryParse(uri.DnsSafeHost, out _) ? TlsHost : uri.DnsSafeHost,
                User = User,
                Password = Password,
                Token = Token,
            }
            : null;
    }

    /// <summary>
    /// Returns host and port, or the path. The text contains neither the credentials nor the query of a WebSocket
    /// address, in which proxies expect credentials.
    /// </summary>
    public override string ToString()
        => IsUnix ? $"unix://{Host}" : WebSocketUri is not null ? WebSocketUri.GetLeftPart(UriPartial.Path) : Host.Contains(':', StringComparison.Ordinal) ? $"[{Host}]:{Port}" : $"{Host}:{Port}";

    private static bool IsScheme(string scheme, string name) => string.Equals(scheme, name, StringComparison.OrdinalIgnoreCase);

    private static ServerAddress ParseTcp(string rest, bool tls)
    {
        if (!Uri.TryCreate("nats://" + rest, UriKind.Absolute, out Uri? uri) || uri.Host.Length == 0 || uri.PathAndQuery is not ("" or "/"))
        {
            // The text is not repeated in the error, because it may contain a password.
            throw new FormatException(Form);
        }

        (string? user, string? password, string? token) = Credentials(uri.UserInfo);
        return new ServerAddress(uri.DnsSafeHost, uri.Port < 0 ? DefaultPort : uri.Port)
        {
            IsTls = tls,
            User = user,
            Password = password,
            Token = token,
        };
    }

    private static ServerAddress ParseWebSocket(string rest, bool tls)
    {
        if (!Uri.TryCreate((tls ? "wss://" : "ws://") + rest, UriKind.Absolute, out Uri? uri) || uri.Host.Length == 0 || uri.Fragment.Length != 0)
        {
            throw new FormatException(Form);
        }

        (string? user, string? password, string? token) = Credentials(uri.UserInfo);
        return new ServerAddress(uri.DnsSafeHost, uri.Port)
        {
            IsTls = tls,
            WebSocketUri = new UriBuilder(uri) { UserName = "", Password = "" }.Uri,
            User = user,
            Password = password,
            Token = token,
        };
    }

    private static ServerAddress ParseUnix(string rest)
    {
        int slash = rest.IndexOf('/', StringComparison.Ordinal);
        int at = slash < 0 ? -1 : rest.LastIndexOf('@', slash);
        string path = slash < 0 ? "" : Uri.UnescapeDataString(rest[slash..]);
        if (path.Length < 2 || at + 1 != slash)
        {
            throw new FormatException(Form);
        }

        try
        {
            _ = new UnixDomainSocketEndPoint(path);
        }
        catch (ArgumentException e)
        {
            throw new FormatException("The path of a Unix socket is too long for this operating system.", e);
        }

        (string? user, string? password, string? token) = Credentials(at < 0 ? "" : rest[..at]);
        return new ServerAddress(path, 0)
        {
            IsUnix = true,
            TlsHost = "localhost",
            User = user,
            Password = password,
            Token = token,
        };
    }

    private static (string? User, string? Password, string? Token) Credentials(string text)
    {
        string[] parts = text.Split(':', 2);
        string? first = parts[0].Length == 0 ? null : Uri.UnescapeDataString(parts[0]);
        return parts.Length == 2 ? (first, Uri.UnescapeDataString(parts[1]), null) : (null, null, first);
    }
}
