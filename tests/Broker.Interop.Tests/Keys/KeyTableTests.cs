using System.Globalization;
using System.Text;
using Broker.Cli.Configuration;
using Broker.Cli.Serving;
using Broker.Cli.Settings;

namespace Broker.Interop.Tests.Keys;

/// <summary>
/// Compares docs/nats-server-keys.md with what nats-server and the broker accept. The installed nats-server is asked. The
/// answers of a newer one are in a file, because Debian's stable releases do not have it.
/// </summary>
/// <remarks>
/// <c>BROKER_WRITE_KEYS=true</c> writes the page. <c>BROKER_NEW_NATS_SERVER=/path/to/nats-server</c> asks that program
/// and writes the file of answers.
/// </remarks>
public sealed class KeyTableTests : IDisposable
{
    private const string Answers = "tests/Broker.Interop.Tests/Keys/nats-server-2.15.1.txt";
    private const string Page = "docs/nats-server-keys.md";

    private const string Head = """
        # Keys of nats-server

        This page lists the keys of nats-server's configuration file, each with a value, and says what the broker does with
        them. [configuration.md](configuration.md) explains the keys of the broker. A test writes this page: it gives each key
        to nats-server 2.9.10 and to the broker. The answers of nats-server 2.15.1 are recorded.

        | cell | meaning |
        |---|---|
        | `yes` | the file is accepted, and the key has its effect. A key that both servers have means the same, unless configuration.md gives a difference |
        | `no effect` | the file is accepted with a warning that gives the reason |
        | `no` | the file is refused; the broker gives the reason |

        """;

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("keys-");

    private string? _certificate;
    private string? _key;

    [Fact]
    public async Task The_page_says_which_keys_of_nats_server_the_broker_has()
    {
        string installed = Programs.Require("nats-server");
        string? newer = Environment.GetEnvironmentVariable("BROKER_NEW_NATS_SERVER");
        KeyOfFile[] keys = [.. KeysOfFile.All];
        Dictionary<string, bool> recorded = newer is null ? Recorded() : [];
        var page = new StringBuilder(Head);
        string? section = null;
        foreach (KeyOfFile one in keys)
        {
            string file = Path.Combine(_folder.FullName, "test.conf");
            await File.WriteAllTextAsync(file, Fill(one.File), TestContext.Current.CancellationToken);
            bool isOld = await AcceptsAsync(installed, file);
            if (newer is not null)
            {
                recorded[one.Name] = await AcceptsAsync(newer, file);
            }

            Assert.True(recorded.TryGetValue(one.Name, out bool isNew), $"{Answers} has no answer for {one.Name}: set BROKER_NEW_NATS_SERVER");
            string ours = Ours(file);
            Assert.False((isOld || isNew) && ours.Contains("unknown key", StringComparison.Ordinal), $"{one.Name} is refused without a reason");
            if (section != one.Section)
            {
                section = one.Section;
                page.Append(
                    CultureInfo.InvariantCulture,
                    $"\n## {char.ToUpperInvariant(section[0])}{section[1..]}\n\n| key | 2.9.10 | 2.15.1 | broker |\n|---|---|---|---|\n");
            }

            page.Append(CultureInfo.InvariantCulture, $"| `{one.Text.Replace("|", "\\|", StringComparison.Ordinal)}` | {Say(isOld)} | {Say(isNew)} | {ours} |\n");
        }

        if (newer is not null)
        {
            await File.WriteAllLinesAsync(
                Path.Combine(Repository.Root, Answers), keys.Select(k => $"{Say(recorded[k.Name])} | {k.Name}"), TestContext.Current.CancellationToken);
        }

        string path = Path.Combine(Repository.Root, Page);
        if (Environment.GetEnvironmentVariable("BROKER_WRITE_KEYS") == "true")
        {
            await File.WriteAllTextAsync(path, page.ToString(), TestContext.Current.CancellationToken);
        }

        Assert.Equal(page.ToString(), (await File.ReadAllTextAsync(path, TestContext.Current.CancellationToken)).ReplaceLineEndings("\n"));
    }

    public void Dispose() => _folder.Delete(recursive: true);

    private string Fill(string text)
    {
        if (_certificate is null)
        {
            (_certificate, _key) = TestCertificates.WriteSelfSigned(_folder.FullName);
        }

        return text
            .Replace("\"CERT\"", $"\"{_certificate}\"", StringComparison.Ordinal)
            .Replace("\"KEY\"", $"\"{_key}\"", StringComparison.Ordinal)
            .Replace("\"HASH\"", $"\"{new string('a', 64)}\"", StringComparison.Ordinal)
            .Replace("USERKEY", "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4", StringComparison.Ordinal)
            .Replace("ACCOUNTKEY", "ABJHLOVMPA4CI6R5KLNGOB4GSLNIY7IOUPAJC4YFNDLQVIOBYQGUWVLA", StringComparison.Ordinal);
    }

    private static string Say(bool accepts) => accepts ? "yes" : "no";

    private static Dictionary<string, bool> Recorded()
        => File.ReadLines(Path.Combine(Repository.Root, Answers)).Select(static line => line.Split(" | ", 2))
            .ToDictionary(static parts => parts[1], static parts => parts[0] == "yes", StringComparer.Ordinal);

    private async Task<bool> AcceptsAsync(string program, string file)
        => (await Programs.RunAsync(program, "", "-t", "-c", file)).ExitCode == 0;

    private string Ours(string file)
    {
        var warnings = new List<ConfigProblem>();
        try
        {
            ServeSettings settings = ServeConfig.Bind(ConfigFile.Load(file).Root, new ServeSettings(), warnings);
            return ServeCheck.Problems(settings).Select(static p => $"no: {p.Problem}").Concat(warnings.Select(static w => $"no effect: {Reason(w.Message)}")).FirstOrDefault("yes");
        }
        catch (ConfigException e)
        {
            return $"no: {Reason(e.Problems[0].Message).Replace(_folder.FullName, "", StringComparison.Ordinal)}";
        }
    }

    // The key stands in the row already.
    private static string Reason(string message)
    {
        foreach (string words in (ReadOnlySpan<string>)[" is not supported: ", " has no effect: ", " of an account has no effect: "])
        {
            int at = message.IndexOf(words, StringComparison.Ordinal);
            if (at > 0)
            {
                return message[(at + words.Length)..];
            }
        }

        return message;
    }
}
