using System.Globalization;

namespace Broker.Cli.Serving;

/// <summary>One end of a ZeroMQ connection, written <c>bind tcp://127.0.0.1:5556</c> or <c>connect tcp://host:5556</c>.</summary>
/// <param name="Bind">Whether peers connect to us; else we connect to them.</param>
/// <param name="Host">A name or address; an IPv6 address is without brackets. <c>*</c> binds all addresses.</param>
/// <param name="Port">The port; 0 binds a free one.</param>
internal sealed record ZeroMqEndpoint(bool Bind, string Host, int Port)
{
    /// <summary>What <see cref="TryParse"/> takes, in words for a message.</summary>
    public const string Shape = "an endpoint such as \"bind tcp://127.0.0.1:5556\" or \"connect tcp://host:5556\"";

    /// <summary>The endpoint as ZeroMQ writes it.</summary>
    public string Address => Host.Contains(':', StringComparison.Ordinal) ? $"tcp://[{Host}]:{Port}" : $"tcp://{Host}:{Port}";

    /// <summary>Reads an endpoint; without a verb it is bound. Null when it is none.</summary>
    public static ZeroMqEndpoint? TryParse(string text)
    {
        const string Scheme = "tcp://";
        var words = text.Split((char[])[' ', '\t'], StringSplitOptions.RemoveEmptyEntries);
        var bind = words.Length == 1 || (words.Length == 2 && string.Equals(words[0], "bind", StringComparison.OrdinalIgnoreCase));
        var connect = words.Length == 2 && string.Equals(words[0], "connect", StringComparison.OrdinalIgnoreCase);
        if (!(bind || connect) || !words[^1].StartsWith(Scheme, StringComparison.OrdinalIgnoreCase))
            return null;
        var anyPort = bind && words[^1].EndsWith(":*", StringComparison.Ordinal);
        var address = words[^1][Scheme.Length..];
        if (!HostAndPort.TryParse(anyPort ? address[..^1] + "0" : address, out var host, out var port)
            || host.Length == 0
            || (connect && (port == 0 || host == "*")))
            return null;
        return new ZeroMqEndpoint(bind, host, port);
    }

    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{(Bind ? "bind" : "connect")} {Address}");
}
