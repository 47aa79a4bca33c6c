using System.Globalization;
using System.Text;

namespace Broker.Interop.Tests.Keys;

/// <summary>
/// Compares docs/nats-server-keys.md with what nats-server and the broker accept. The installed nats-server is asked.
/// The answers of the newer one are in a file, because the machine of a contributor may not have it.
/// </summary>
/// <remarks>
/// <c>BROKER_WRITE_KEYS=true</c> writes the page and, if the newer nats-server is there, the file of answers.
/// </remarks>
public sealed class KeyTableTests : IDisposable
{
    private const string Newer = "2.15.1";
    private const string Answers = $"tests/Broker.Interop.Tests/Keys/nats-server-{Newer}.txt";
    private const string Page = "docs/nats-server-keys.md";

    private const string Head = """
        # Flags and keys of nats-server

        This page lists the flags of nats-server, and the keys of its configuration file, each with a value. It says what
        the broker does with them. [configuration.md](configuration.md) explains the flags and keys of the broker. A test
        writes this page: it gives each flag and each key to nats-server 2.9.10, to nats-server 2.15.1 and to the broker.

        | cell | meaning |
        |---|---|
        | `yes` | it is accepted and has its effect. A flag or key that both servers have means the same, unless configuration.md gives a difference |
        | `no effect` | the file is accepted with a warning that gives the reason |
        | `no` | it is refused; the broker gives the reason |

        """;

    private static bool IsWriting => Environment.GetEnvironmentVariable("BROKER_WRITE_KEYS") == "true";

    private readonly SettingCheck _check = new();

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    private static Setting[] Settings => [.. FlagsOfServer.All, .. KeysOfFile.All];

    [Fact]
    public async Task The_page_says_which_flags_and_keys_of_nats_server_the_broker_has()
    {
        string installed = Programs.Require("nats-server");
        Dictionary<string, bool> recorded = await RecordedAsync();
        var page = new StringBuilder(Head);
        string? section = null;
        foreach (Setting one in Settings)
        {
            bool isOld = await _check.AcceptsAsync(installed, one);
            Assert.True(recorded.TryGetValue(one.Name, out bool isNew), $"{Answers} has no answer for {one.Name}: run with BROKER_WRITE_KEYS=true");
            string ours = await _check.OursAsync(one);
            Assert.False((isOld || isNew) && ours.Contains("unknown ", StringComparison.Ordinal), $"{one.Name} is refused without a reason: {ours}");
            if (section != one.Section)
            {
                section = one.Section;
                page.Append(
                    CultureInfo.InvariantCulture,
                    $"\n## {char.ToUpperInvariant(section[0])}{section[1..]}\n\n| {(section == "flags" ? "flag" : "key")} | 2.9.10 | {Newer} | broker |\n|---|---|---|---|\n");
            }

            page.Append(CultureInfo.InvariantCulture, $"| `{one.Text.Replace("|", "\\|", StringComparison.Ordinal)}` | {Say(isOld)} | {Say(isNew)} | {ours} |\n");
        }

        string path = Path.Combine(Repository.Root, Page);
        if (IsWriting)
        {
            await File.WriteAllTextAsync(path, page.ToString(), Ended);
        }

        Assert.Equal(page.ToString(), (await File.ReadAllTextAsync(path, Ended)).ReplaceLineEndings("\n"));
    }

    [Fact]
    public async Task The_recorded_answers_are_those_of_nats_server_2_15_1()
    {
        string program = await RequireNewerAsync();

        string[] answers = await AskAsync(program);

        Assert.Equal(answers, await File.ReadAllLinesAsync(Path.Combine(Repository.Root, Answers), Ended));
    }

    public void Dispose() => _check.Dispose();

    private static string Say(bool accepts) => accepts ? "yes" : "no";

    private static async Task<string> RequireNewerAsync()
    {
        string program = NewerNatsServers.Require(NewerNatsServers.Sid);
        string version = await NewerNatsServers.VersionAsync(program);
        Assert.SkipUnless(version == Newer, $"the newer nats-server is {version} now, and the recorded answers are those of {Newer}");
        return program;
    }

    private async Task<Dictionary<string, bool>> RecordedAsync()
    {
        string path = Path.Combine(Repository.Root, Answers);
        if (IsWriting)
        {
            await File.WriteAllLinesAsync(path, await AskAsync(await RequireNewerAsync()), Ended);
        }

        return (await File.ReadAllLinesAsync(path, Ended)).Select(static line => line.Split(" | ", 2))
            .ToDictionary(static parts => parts[1], static parts => parts[0] == "yes", StringComparer.Ordinal);
    }

    private async Task<string[]> AskAsync(string program)
    {
        var answers = new List<string>();
        foreach (Setting one in Settings)
        {
            answers.Add($"{Say(await _check.AcceptsAsync(program, one))} | {one.Name}");
        }

        return [.. answers];
    }
}
