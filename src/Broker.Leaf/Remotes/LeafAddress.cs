using System.Globalization;
using System.Net;

namespace Broker.Leaf;

/// <summary>The address of a leaf node port, with the credentials in it.</summary>
internal sealed class LeafAddress
{
    internal const int DefaultPort = 7422;

    private const string Form = "The address of a leaf node port must have the form nats-leaf://[user:password@|token@]host[:port].";

    private LeafAddress(string host, int port) => (Host, Port) = (host, port);

    internal string Host { get; }

    internal int Port { get; }

    internal string? User { get; private init; }

    internal string? Password { get; private init; }

    internal string? Token { get; private init; }

    internal EndPoint EndPoint => IPAddress.TryParse(Host, out IPAddress? ip) ? new IPEndPoint(ip, Port) : new DnsEndPoint(Host, Port);

    /// <exception cref="FormatException">The text is not an address.</exception>
    internal static LeafAddress Parse(string text)
    {
        text = text.Trim();
        int at = text.IndexOf("://", StringComparison.Ordinal);
        string scheme = at < 0 ? "" : text[..at].ToLowerInvariant();
        if (scheme is not ("nats-leaf" or "nats"))
        {
            throw new FormatException("The scheme of a leaf node address must be nats-leaf or nats.");
        }

        // The text is not repeated in the error, because it may contain a password.
        string rest = text[(at + "://".Length)..];
        if (!Uri.TryCreate("nats://" + rest, UriKind.Absolute, out Uri? uri) || uri.Host.Length == 0 || uri.PathAndQuery is not ("" or "/"))
        {
            throw new FormatException(Form);
        }

        string[] parts = uri.UserInfo.Split(':', 2);
        string? first = parts[0].Length == 0 ? null : Uri.UnescapeDataString(parts[0]);
        bool hasPassword = parts.Length == 2;
        return new LeafAddress(uri.DnsSafeHost, uri.Port < 0 ? DefaultPort : uri.Port)
        {
            User = hasPassword ? first : null,
            Password = hasPassword ? Uri.UnescapeDataString(parts[1]) : null,
            Token = hasPassword ? null : first,
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

    /// <summary>Returns host and port, without credentials.</summary>
    public override string ToString()
        => string.Create(CultureInfo.InvariantCulture, $"{(Host.Contains(':', StringComparison.Ordinal) ? $"[{Host}]" : Host)}:{Port}");
}
