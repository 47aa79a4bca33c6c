using System.Globalization;

namespace Broker.Cli.Settings;

/// <summary>Parses and formats <c>host:port</c>. An IPv6 address is in brackets.</summary>
internal static class HostAndPort
{
    public static bool TryParse(string text, out string host, out int port)
    {
        host = "";
        port = 0;
        int colon = text.LastIndexOf(':');
        if (colon < 0
            || !int.TryParse(text.AsSpan(colon + 1), NumberStyles.None, CultureInfo.InvariantCulture, out port)
            || port > 65_535)
        {
            return false;
        }

        host = text[..colon];
        if (host is ['[', .., ']'])
        {
            host = host[1..^1];
        }
        else if (host.Contains(':', StringComparison.Ordinal))
        {
            return false;
        }

        return !host.AsSpan().ContainsAny(" \t/[]");
    }

    public static string Format(string host, int port)
        => host.Contains(':', StringComparison.Ordinal)
            ? string.Create(CultureInfo.InvariantCulture, $"[{host}]:{port}")
            : string.Create(CultureInfo.InvariantCulture, $"{host}:{port}");
}
