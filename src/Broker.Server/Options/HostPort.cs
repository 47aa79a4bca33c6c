using System.Globalization;

namespace Broker.Server;

/// <summary>Parses <c>host:port</c> as in INFO, with an IPv6 address in brackets.</summary>
internal static class HostPort
{
    internal static bool TryParse(string text, out string host, out int port)
    {
        int colon = text.LastIndexOf(':');
        port = 0;
        host = colon <= 0 ? "" : text[..colon].TrimStart('[').TrimEnd(']');
        return host.Length != 0
            && !host.AsSpan().ContainsAny(" /\t\r\n")
            && int.TryParse(text.AsSpan(colon + 1), NumberStyles.None, CultureInfo.InvariantCulture, out port)
            && port is > 0 and <= 65_535;
    }
}
