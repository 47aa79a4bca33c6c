using System.Net;
using System.Net.Sockets;

namespace Broker.Client.Servers;

/// <summary>
/// A server and the credentials for it, read from <c>nats://[user:password@|token@]host[:port]</c>, the same with <c>tls</c>, with
/// <c>ws</c> or <c>wss</c> and perhaps a path, or <c>unix://[user:password@|token@]/path</c>.
/// </summary>
internal sealed class ServerAddress
{
    private const int DefaultPort = 4222;
    private const string Form = "A server's address has the form nats://[user:password@|token@]host[:port], tls://…, ws://…, wss://… or unix:///path.";

    private ServerAddress(string host, int port) => (Host, Port, TlsHost) = (host, port, host);

    /// <summary>The name or IP address, or the path of a Unix socket.</summary>
    internal string Host { get; }

    internal int Port { get; }

    internal string? User { get; private init; }

    internal string? Password { get; private init; }

    internal string? Token { get; private init; }

    /// <summary>Whether it is not to be spoken to in clear.</summary>
    internal bool IsTls { get; private init; }

    /// <summary>The name that its certificate must have.</summary>
    internal string TlsHost { get; private init; }

    internal bool IsUnix { get; private init; }

    /// <summary>Where the upgrade is asked for, without credentials; null where the protocol is spoken over a socket alone.</summary>
    internal Uri? WebSocketUri { get; private init; }

    internal EndPoint EndPoint
        => IsUnix ? new UnixDomainSocketEndPoint(Host)
            : IPAddress.TryParse(Host, out IPAddress? ip) ? new IPEndPoint(ip, Port)
            : new DnsEndPoint(Host, Port);

    /// <exception cref="FormatException">It is no such address, or asks for something else.</exception>
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
            throw new FormatException($"The scheme of a server's address is nats, tls, ws, wss or unix. {Form}");
        }

        return unix ? ParseUnix(rest) : ParseTcp(rest, tls);
    }

    /// <summary>An address as a text without credentials, whatever it is.</summary>
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

    /// <summary>Reads <c>host:port</c> as INFO has it; the server takes the same credentials as this one. Null when it is none.</summary>
    internal ServerAddress? Neighbour(string text)
    {
        return Uri.TryCreate("nats://" + text, UriKind.Absolute, out Uri? uri) && uri.Host.Length != 0 && uri.UserInfo.Length == 0
            ? new ServerAddress(uri.DnsSafeHost, uri.Port < 0 ? DefaultPort : uri.Port)
            {
                IsTls = IsTls,
                WebSocketUri = WebSocketUri is { } web ? new UriBuilder(web) { Host = uri.Host, Port = uri.Port < 0 ? web.Port : uri.Port }.Uri : null,
                // The certificates of a cluster are made out to names, as a rule.
                TlsHost = !IsUnix && IPAddress.TryParse(uri.DnsSafeHost, out _) ? TlsHost : uri.DnsSafeHost,
                User = User,
                Password = Password,
                Token = Token,
            }
            : null;
    }

    /// <summary>Host and port, or the path: never the credentials, and not the query of a WebSocket, where proxies expect theirs.</summary>
    public override string ToString()
        => IsUnix ? $"unix://{Host}" : WebSocketUri is not null ? WebSocketUri.GetLeftPart(UriPartial.Path) : Host.Contains(':', StringComparison.Ordinal) ? $"[{Host}]:{Port}" : $"{Host}:{Port}";

    private static bool IsScheme(string scheme, string name) => string.Equals(scheme, name, StringComparison.OrdinalIgnoreCase);

    private static ServerAddress ParseTcp(string rest, bool tls)
    {
        if (!Uri.TryCreate("nats://" + rest, UriKind.Absolute, out Uri? uri) || uri.Host.Length == 0 || uri.PathAndQuery is not ("" or "/"))
        {
            // Not repeated: it may hold a password.
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
            throw new FormatException("The path of a Unix socket is too long for this system.", e);
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
