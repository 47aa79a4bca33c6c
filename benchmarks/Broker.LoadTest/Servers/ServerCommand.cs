using System.CommandLine.Parsing;
using System.Globalization;
using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Servers;

/// <summary>How a server is started: a program and its arguments, in which <c>{port}</c> stands for the port.</summary>
internal sealed record ServerCommand(string Name, string FileName, IReadOnlyList<string> Arguments)
{
    public const string PortPlaceholder = "{port}";

    private const string MonitoringPlaceholder = "{monitoring}";
    private const string CertificatePlaceholder = "{cert}";
    private const string KeyPlaceholder = "{key}";

    /// <summary>Whether it speaks TLS; set by <see cref="OverTls"/>.</summary>
    public bool IsTls { get; private init; }

    /// <summary>Whether it has monitoring pages; set by <see cref="WithMonitoring"/>.</summary>
    public bool IsMonitored { get; private init; }

    /// <summary>The command line, which two commands have in common only when they start the same server.</summary>
    public string Line => string.Join(' ', Arguments.Prepend(FileName));

    /// <summary>The same server speaking TLS, told so by nats-server's flags.</summary>
    public ServerCommand OverTls() =>
        this with { Arguments = [.. Arguments, "--tls", "--tlscert", CertificatePlaceholder, "--tlskey", KeyPlaceholder], IsTls = true };

    /// <summary>The same server with monitoring pages, told so by nats-server's flag.</summary>
    public ServerCommand WithMonitoring() => this with { Arguments = [.. Arguments, "-m", MonitoringPlaceholder], IsMonitored = true };

    /// <summary>The arguments with everything filled in; <paramref name="certificate"/> is there when it speaks TLS.</summary>
    public IEnumerable<string> ArgumentsFor(int port, CertificateFiles? certificate, int monitoringPort = 0) =>
        Arguments.Select(argument => argument
            .Replace(PortPlaceholder, port.ToString(CultureInfo.InvariantCulture), StringComparison.Ordinal)
            .Replace(MonitoringPlaceholder, monitoringPort.ToString(CultureInfo.InvariantCulture), StringComparison.Ordinal)
            .Replace(CertificatePlaceholder, certificate?.CertificatePath, StringComparison.Ordinal)
            .Replace(KeyPlaceholder, certificate?.KeyPath, StringComparison.Ordinal));

    /// <summary>Reads <c>name=program arguments</c>; quotes group as in a shell, and nothing else is a shell's.</summary>
    public static ServerCommand Parse(string text)
    {
        int at = text.IndexOf('=', StringComparison.Ordinal);
        string[] words = at > 0 ? [.. CommandLineParser.SplitCommandLine(text[(at + 1)..])] : [];
        if (words.Length == 0)
        {
            throw new ArgumentException($"'{text}' is not of the form name=command.");
        }

        if (!words.Any(word => word.Contains(PortPlaceholder, StringComparison.Ordinal)))
        {
            throw new ArgumentException($"The command of '{text[..at]}' does not say where its {PortPlaceholder} goes.");
        }

        return new ServerCommand(text[..at].Trim(), words[0], words[1..]);
    }
}
