namespace Broker.Cli.Serving;

/// <summary>Where to listen: a name, an address or <c>*</c>, and a port, of which 0 takes a free one.</summary>
internal sealed record ListenAddress(string Host, int Port)
{
    /// <summary>What <see cref="TryParse"/> takes, in words for a message.</summary>
    public const string Shape = "a text such as \"127.0.0.1:4222\"";

    /// <summary>Null when it is none; without a host it is every address of IPv4, and port -1 takes a free one.</summary>
    public static ListenAddress? TryParse(string text) =>
        HostAndPort.TryParse(text.EndsWith(":-1", StringComparison.Ordinal) ? text[..^2] + "0" : text, out var host, out var port)
            ? new(host.Length == 0 ? "0.0.0.0" : host, port)
            : null;

    public override string ToString() => HostAndPort.Format(Host, Port);
}
