using System.CommandLine;
using System.Text.RegularExpressions;
using Broker.Cli.Auth;
using Broker.Cli.Shell;
using Broker.Cli.Tests.CommandLine;
using Broker.Cli.Tests.Documentation;

namespace Broker.Cli.Tests.Auth;

/// <summary>
/// Runs every example of <c>broker auth</c> in help texts and pages as printed, by a shell, in a folder that has what
/// the examples name.
/// </summary>
public sealed partial class AuthExampleTests : IDisposable
{
    private static readonly Command Auth = AuthCommands.Build(new ShellStreams(Stream.Null, Stream.Null, TextWriter.Null, isInputRedirected: true, colours: false));

    private readonly StoreFolder _folder = new();

    public static TheoryData<string> Lines =>
    [
        .. Paths(Auth, "auth").Select(Help).SelectMany(static text => text.Split('\n'))
            .Concat(DocumentedText.Read("docs/command.md").Commands("broker"))
            .Select(static line => line.Split(" #")[0].Trim()).Where(IsOfAuth).Distinct(StringComparer.Ordinal),
    ];

    public void Dispose() => _folder.Dispose();

    /// <summary>Whether the line is a command that these tests run, and not a usage line of a help text.</summary>
    internal static bool IsOfAuth(string line)
        => line.StartsWith("broker auth ", StringComparison.Ordinal) && !line.Contains('[', StringComparison.Ordinal) && !line.Contains("--help", StringComparison.Ordinal);

    [Fact]
    public void Each_command_has_an_example()
        => Assert.All(
            Paths(Auth, "auth").Where(static path => path is not ("auth" or "auth add" or "auth edit" or "auth remove" or "auth revoke")),
            static path => Assert.Contains(Lines, row => row.Data.StartsWith($"broker {path}", StringComparison.Ordinal)));

    [Theory]
    [MemberData(nameof(Lines))]
    public async Task A_line_as_it_is_printed_does_what_it_says(string line)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "the lines are those of a Unix shell");
        using NatsServer? server = await FillAsync(line);
        string operatorKey = line.Contains("auth init", StringComparison.Ordinal)
            ? ""
            : (await _folder.ClaimsAsync("operator"))["nats"]!["signing_keys"]![0]!.ToString();
        line = OperatorKey().Replace(line, operatorKey)
            .Replace("/etc/broker/auth", _folder.In("other"), StringComparison.Ordinal)
            .Replace("/var/lib/nats/jwt", Path.Combine(_folder.Store, "accounts"), StringComparison.Ordinal)
            .Replace(" -s nats://127.0.0.1:4222", "", StringComparison.Ordinal);

        // A busy machine may need longer than the time of a user.
        line = line.Contains("auth push", StringComparison.Ordinal) ? line + " --timeout 2m" : line;
        (int exitCode, string output, string error) = await Script.RunAsync(line, _folder.Path, server?.Url);

        Assert.True(exitCode == ExitCode.Success && error.Length == 0, $"{line}\n{error}");
        Assert.NotEmpty(Redirected().Match(line) is { Success: true } to
            ? await File.ReadAllTextAsync(_folder.In(to.Groups[1].Value), TestContext.Current.CancellationToken)
            : output);
    }

    // What an example creates must not exist. Everything that another one names must.
    private async Task<NatsServer?> FillAsync(string line)
    {
        if (line.StartsWith("broker auth init ", StringComparison.Ordinal))
        {
            await _folder.RunAsync("init", "OTHER", "--store", _folder.In("elsewhere"));
            string seed = Directory.GetFiles(Path.Combine(_folder.In("elsewhere"), "keys"), "O*").Single();
            File.Copy(seed, _folder.In("operator.seed"));
            return null;
        }

        await _folder.RunAsync("init", "ACME");
        await _folder.RunAsync("add", "key", "--operator");
        if (!line.EndsWith("add account PLANT", StringComparison.Ordinal))
        {
            await _folder.RunAsync("add", "account", "PLANT");
            await FillAccountAsync(line);
            await FillSharesAsync(line);
        }

        if (!line.StartsWith("broker auth push", StringComparison.Ordinal))
        {
            return null;
        }

        await _folder.RunAsync("add", "user", "sys", "--account", "SYS");
        return NatsServer.StartWithConfiguration(
            await _folder.RunAsync("show", "config", "--resolver", "full", "--dir", _folder.In("jwt")), NewerNatsServers.Require(NewerNatsServers.Sid), []);
    }

    private async Task FillAccountAsync(string line)
    {
        if (!line.Contains("--role sensor", StringComparison.Ordinal))
        {
            await _folder.RunAsync("add", "key", "--role", "sensor", "--allow-pub", "plant.{{tag(site)}}.>", "--account", "PLANT");
        }

        if (!line.Contains("add user pump", StringComparison.Ordinal))
        {
            await _folder.RunAsync("add", "user", "pump", "--account", "PLANT");
        }
    }

    // Another account OFFICE and exports of PLANT, some of which OFFICE imports.
    private async Task FillSharesAsync(string line)
    {
        await _folder.RunAsync("add", "account", "OFFICE");
        if (line.Contains("add export", StringComparison.Ordinal))
        {
            return;
        }

        await _folder.RunAsync("add", "export", "plant.alarms.>", "--account", "PLANT");
        await _folder.RunAsync("add", "export", "plant.valve", "--account", "PLANT", "--type", "service");
        await _folder.RunAsync("add", "export", "plant.audit.>", "--account", "PLANT", "--private");
        await _folder.RunAsync("add", "activation", "plant.audit.>", "--account", "PLANT", "--to", "OFFICE", "--out", _folder.In("office.activation"));
        if (line.Contains("import 'plant.>'", StringComparison.Ordinal))
        {
            await _folder.RunAsync("add", "export", "plant.>", "--account", "PLANT");
            await _folder.RunAsync("add", "import", "plant.>", "--account", "OFFICE", "--from", "PLANT");
        }
    }

    private static IEnumerable<string> Paths(Command command, string path)
        => command.Subcommands.SelectMany(inner => Paths(inner, $"{path} {inner.Name}")).Prepend(path);

    // Parsing and help never wait.
    private static string Help(string path) => CommandRun.Of([.. path.Split(' '), "--help"]).GetAwaiter().GetResult().Output;

    [GeneratedRegex("\\bO[A-Z2-7]{55}\\b", RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex OperatorKey();

    [GeneratedRegex(" > (\\S+)$", RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Redirected();
}
