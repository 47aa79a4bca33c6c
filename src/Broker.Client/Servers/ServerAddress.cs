using System.Net;

namespace Broker.Client.Servers;

/// <summary>A server and the credentials for it, read from <c>nats://[user:password@|token@]host[:port]</c>.</summary>
internal sealed class ServerAddress
{
    private const int DefaultPort = 4222;

    private ServerAddress(string host, int port) => (Host, Port, TlsHost) = (host, port, host);

    internal string Host { get; }

    internal int Port { get; }

    internal string? User { get; private init; }

    internal string? Password { get; private init; }

    internal string? Token { get; private init; }

    /// <summary>Whether it is not to be spoken to in clear.</summary>
    internal bool IsTls { get; private init; }

    /// <summary>The name that its certificate must have.</summary>
    internal string TlsHost { get; private init; }

    internal EndPoint EndPoint => IPAddress.TryParse(Host, out IPAddress? ip) ? new IPEndPoint(ip, Port) : new DnsEndPoint(Host, Port);

    /// <exception cref="FormatException">It is no such address, or asks for a WebSocket.</exception>
    internal static ServerAddress Parse(string text)
    {
        string url = text.Contains("://", StringComparison.Ordinal) ? text : "nats://" + text;
        if (!Uri.TryCreate(url, UriKind.Absolute, out Uri? uri) || uri.Host.Length == 0 || uri.PathAndQuery is not ("" or "/"))
        {
            // Not repeated in full: it may hold a password.
            throw new FormatException("A server's address has the form nats://[user:password@|token@]host[:port].");
        }

        bool tls = string.Equals(uri.Scheme, "tls", StringComparison.Ordinal);
        if (!tls && !string.Equals(uri.Scheme, "nats", StringComparison.Ordinal))
        {
            throw new FormatException($"The scheme '{uri.Scheme}' is not supported, only nats and tls.");
        }

        string[] credentials = uri.UserInfo.Split(':', 2);
        string? first = credentials[0].Length == 0 ? null : Uri.UnescapeDataString(credentials[0]);
        return new ServerAddress(uri.DnsSafeHost, uri.Port < 0 ? DefaultPort : uri.Port)
        {
            IsTls = tls,
            User = credentials.Length == 2 ? first : null,
            Password = credentials.Length == 2 ? Uri.UnescapeDataString(credentials[1]) : null,
            Token = credentials.Length == 1 ? first : null,
        };
    }

    /// <summary>Reads <c>host:port</c> as INFO has it; the server takes the same credentials as this one. Null when it is none.</summary>
    internal ServerAddress? Neighbour(string text)
    {
        return Uri.TryCreate("nats://" + text, UriKind.Absolute, out Uri? uri) && uri.Host.Length != 0 && uri.UserInfo.Length == 0
            ? new ServerAddress(uri.DnsSafeHost, uri.Port < 0 ? DefaultPort : uri.Port)
            {
                IsTls = IsTls,
                // The certificates of a cluster are made out to names, as a rule.
                TlsHost = IPAddress.TryParse(uri.DnsSafeHost, out _) ? TlsHost : uri.DnsSafeHost,
                User = User,
                Password = Password,
                Token = Token,
            }
            : null;
    }

    /// <summary>Host and port: never the credentials.</summary>
    public override string ToString() => Host.Contains(':', StringComparison.Ordinal) ? $"[{Host}]:{Port}" : $"{Host}:{Port}";
}
