using System.CommandLine.Parsing;
using System.Globalization;
using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Servers;

/// <summary>
/// The command that starts a server: a program and its arguments. <c>{port}</c> in an argument stands for the port.
/// </summary>
internal sealed record ServerCommand(string Name, string FileName, IReadOnlyList<string> Arguments)
{
    public const string PortPlaceholder = "{port}";

    private const string MonitoringPlaceholder = "{monitoring}";
    private const string CertificatePlaceholder = "{cert}";
    private const string KeyPlaceholder = "{key}";
    private const string LeafPlaceholder = "{leaf}";

    /// <summary>Whether the server uses TLS; set by <see cref="OverTls"/>.</summary>
    public bool IsTls { get; private init; }

    /// <summary>Whether the server has monitoring pages; set by <see cref="WithMonitoring"/>.</summary>
    public bool IsMonitored { get; private init; }

    /// <summary>The number of live pages that are open while the server runs; set by <see cref="Watched"/>.</summary>
    public int OpenPages { get; private init; }

    /// <summary>The nats-server that is the hub if this server runs as a leaf node; null if there is none.</summary>
    public ServerCommand? Hub { get; init; }

    /// <summary>The environment variables that the server has beside those of this program.</summary>
    public IReadOnlyDictionary<string, string> Variables { get; init; } = new Dictionary<string, string>(StringComparer.Ordinal);

    /// <summary>Whether the server joins a hub as a leaf node; set by <see cref="BehindHub"/>.</summary>
    public bool IsLeaf { get; private init; }

    /// <summary>The command line. Two commands have the same one only if they start the same server.</summary>
    public string Line => string.Join(' ', Arguments.Prepend(FileName));

    /// <summary>Creates a command for the same server with TLS, by the flags of nats-server.</summary>
    public ServerCommand OverTls()
        => this with { Arguments = [.. Arguments, "--tls", "--tlscert", CertificatePlaceholder, "--tlskey", KeyPlaceholder], IsTls = true };

    /// <summary>Creates a command for the same server with monitoring pages, by the flag of nats-server.</summary>
    public ServerCommand WithMonitoring()
        => IsMonitored ? this : this with { Arguments = [.. Arguments, "-m", MonitoringPlaceholder], IsMonitored = true };

    /// <summary>
    /// Creates a command for the same broker with this number of open live pages, and with sampled subjects.
    /// </summary>
    public ServerCommand Watched(int pages)
    {
        ServerCommand monitored = WithMonitoring();
        return monitored with { Arguments = [.. monitored.Arguments, "--sample_subjects", "1000"], OpenPages = pages };
    }

    /// <summary>
    /// Creates a command for the same server as a leaf node of <see cref="Hub"/>, by the configuration file of
    /// nats-server; null without a hub.
    /// </summary>
    public ServerCommand? BehindHub() => Hub is null ? null : this with { Arguments = [.. Arguments, "-c", LeafPlaceholder], IsLeaf = true };

    /// <summary>
    /// Returns the arguments with all values inserted. <paramref name="certificate"/> is not null if the server uses
    /// TLS, and <paramref name="leafFile"/> if it joins a hub.
    /// </summary>
    public IEnumerable<string> ArgumentsFor(int port, CertificateFiles? certificate, int monitoringPort = 0, string? leafFile = null)
        => Arguments.Select(argument => argument
            .Replace(PortPlaceholder, port.ToString(CultureInfo.InvariantCulture), StringComparison.Ordinal)
            .Replace(MonitoringPlaceholder, monitoringPort.ToString(CultureInfo.InvariantCulture), StringComparison.Ordinal)
            .Replace(CertificatePlaceholder, certificate?.CertificatePath, StringComparison.Ordinal)
            .Replace(KeyPlaceholder, certificate?.KeyPath, StringComparison.Ordinal)
            .Replace(LeafPlaceholder, leafFile, StringComparison.Ordinal));

    /// <summary>
    /// Parses <c>name=program arguments</c>. Quotes group words as in a shell; other shell syntax is not supported.
    /// </summary>
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
            throw new ArgumentException($"The command of '{text[..at]}' does not contain {PortPlaceholder}.");
        }

        return new ServerCommand(text[..at].Trim(), words[0], words[1..]);
    }
}
