using System.Text.RegularExpressions;
using Broker.Cli.Tests.Auth;
using Broker.Cli.Tests.Bench;
using Broker.Cli.Tests.Effective;
using Broker.Cli.Tests.CommandLine;
using Broker.Cli.Tests.Servers;
using Broker.Cli.Tests.Starting;
using Broker.Cli.Tests.Streams;
using Broker.Cli.Tests.Top;
using Broker.Cli.Tests.Tracing;
using Broker.Cryptography;
using Broker.ZeroMq;

namespace Broker.Cli.Tests.Documentation;

/// <summary>
/// Runs every example of a file and of a command line as printed, with other ports and existing files.
/// </summary>
public sealed partial class ExampleTests : IDisposable
{
    private static readonly DocumentedText Configuration = DocumentedText.Read("docs/configuration.md");

    private readonly TemporaryFolder _folder = new();

    public static TheoryData<string> Blocks
        => [.. Configuration.Headings.SelectMany(Configuration.Blocks).Where(b => !b.StartsWith("broker ", StringComparison.Ordinal))];

    public static TheoryData<string> Commands =>
    [
        .. Pages().SelectMany(p => p.Commands("broker")).Concat(Help().Split('\n').Select(l => l.Trim()).Where(l => l.StartsWith("broker ", StringComparison.Ordinal)))
            .Select(c => c.Split(" #")[0].Trim()).Where(c => !c.Contains("...", StringComparison.Ordinal) && !ShellExampleTests.IsOfMessages(c) && !BenchCommandTests.IsOfBench(c) && !TopCommandTests.IsOfTop(c) && !ServerCommandTests.IsOfServer(c) && !StreamExampleTests.IsOfStreams(c) && !ConfigShowTests.IsOfConfig(c) && !TraceCommandTests.IsOfTrace(c) && !AuthExampleTests.IsOfAuth(c)).Distinct(StringComparer.Ordinal),
    ];

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void There_are_examples()
    {
        Assert.True(Blocks.Count >= 5);
        Assert.True(Commands.Count >= 5);
    }

    [Theory]
    [MemberData(nameof(Blocks))]
    public async Task A_file_as_it_is_printed_starts(string text)
    {
        (string certificate, string key) = TestCertificates.WriteSelfSigned(_folder.Path);
        string secret = _folder.Write("curve/bridge.key_secret", CurveKeyPair.Generate(new CurveCryptography()).ExportSecretKey());
        text = CurveSecrets().Replace(text, Quote(secret)).Replace("\"/etc/broker/clients\"", Quote(Path.GetDirectoryName(secret)!), StringComparison.Ordinal);
        text = Bound().Replace(text, "bind tcp://127.0.0.1:*");
        text = Ports().Replace(CertificateFiles().Replace(KeyFiles().Replace(text, Quote(key)), Quote(certificate)), "$1-1\"");
        string file = _folder.Write("example.conf", "port: -1\n" + text);

        foreach (string flag in (string[])["-t", "-q"])
        {
            RealRun run = await RealRun.Of("serve", flag, "-c", file);
            Assert.True(run.ExitCode == ExitCode.Success, $"{text}\n{run.Said}");
        }

        static string Quote(string path) => $"\"{path.Replace('\\', '/')}\"";
    }

    [Theory]
    [MemberData(nameof(Commands))]
    public async Task A_command_as_it_is_printed_does_what_it_says(string line)
    {
        string[] args = [.. Words().Matches(line).Select(m => m.Value.Trim(m.Value[0] == '\'' ? '\'' : '"')).Skip(1)];
        string file = _folder.Write("broker.conf", "ping_max: 3\n");
        args = [.. args.Select(a => a == "broker.conf" ? file : a)];
        bool serves = args is ["serve" or "-c", ..] && !args.Contains("--help", StringComparer.Ordinal);
        // If a flag is given twice, the last value is used. The test appends free ports, because the usual ones may be
        // in use.
        if (serves)
        {
            int port = Array.IndexOf(args, "-p");
            args = port >= 0 ? [.. args[..(port + 1)], "-1", .. args[(port + 2)..]] : [.. args, "-p", "-1"];
            bool bridges = args.Any(a => a.StartsWith("--zeromq", StringComparison.Ordinal));
            args = bridges && !args.Contains("--zeromq-publishers", StringComparer.Ordinal) ? [.. args, "--zeromq-publishers", "tcp://127.0.0.1:*"] : args;
            args = bridges && !args.Contains("--zeromq-subscribers", StringComparer.Ordinal) ? [.. args, "--zeromq-subscribers", "tcp://127.0.0.1:*"] : args;
        }

        else if (args[0] == "bridge" && !args.Contains("--help", StringComparer.Ordinal))
        {
            serves = true;
            args = [.. args.Select(a => Bound().Replace(a, "bind tcp://127.0.0.1:*"))];
            args = args.Contains("--route", StringComparer.Ordinal) || args.Contains("-c", StringComparer.Ordinal)
                ? args
                : [.. args, "--route", "pattern: pubsub, publishers: \"tcp://127.0.0.1:*\", subscribers: \"tcp://127.0.0.1:*\""];
            File.WriteAllText(file, "zeromq { routes: [ { pattern: worker, subject: a, endpoint: \"tcp://127.0.0.1:*\" } ] }\n");
        }

        RealRun run = await RealRun.Of(args);

        Assert.True(run.ExitCode == ExitCode.Success, $"{line}\n{run.Said}");
        Assert.Equal(serves && !args.Any(static a => a is "-t" or "--permissions"), run.Addresses is not null);
    }

    private static DocumentedText[] Pages() => [DocumentedText.Read("README.md"), Configuration, DocumentedText.Read("docs/zeromq-mapping.md"), DocumentedText.Read("docs/zeromq-brokers.md"), DocumentedText.Read("docs/command.md"), DocumentedText.Read("docs/migration.md"), DocumentedText.Read("src/Broker.Cli/README.md")];

    private static string Help()
    {
        using var both = new StringWriter();
        foreach (string[] args in (string[][])[["--help"], ["serve", "--help"], ["bridge", "--help"]])
        {
            // Parsing and help never wait.
            both.Write(CommandRun.Of(args).GetAwaiter().GetResult().Output);
        }

        return both.ToString();
    }

    [GeneratedRegex("\"[^\"]*(server|cert)[^\"]*\\.pem\"|\"[^\"]*-ca\\.pem\"", RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex CertificateFiles();

    [GeneratedRegex("\"[^\"]*\\.key_secret\"", RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex CurveSecrets();

    [GeneratedRegex("\"[^\"]*\\.key\"", RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex KeyFiles();

    [GeneratedRegex("bind tcp://[^:\"]+:\\d+", RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Bound();

    [GeneratedRegex("(listen: \"[^\"]*:)\\d+\"", RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Ports();

    [GeneratedRegex("'[^']*'|\"[^\"]*\"|\\S+", RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Words();
}
