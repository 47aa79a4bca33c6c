using System.Globalization;
using System.Text.RegularExpressions;
using Broker.Cli.Tests.CommandLine;
using Broker.Cli.Tests.Starting;

namespace Broker.Cli.Tests.Documentation;

/// <summary>Starts the broker with every flag of docs/configuration.md and the help, by each of its names.</summary>
public sealed class FlagTests : IDisposable
{
    private static readonly DocumentedText Page = DocumentedText.Read("docs/configuration.md");

    private readonly TemporaryFolder _folder = new();
    private readonly string _certificate;
    private readonly string _key;
    private readonly string _config;

    public FlagTests()
    {
        (_certificate, _key) = TestCertificates.WriteSelfSigned(_folder.Path);
        _config = _folder.Write("flags.conf", "ping_max: 3\n");
    }

    public static TheoryData<string> Flags => [.. FlagCases.All.SelectMany(c => c.Names)];

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Each_documented_flag_has_a_case_and_each_case_is_documented()
    {
        // The flags of the root command are tested below.
        string[] documented = [.. Page.FirstColumn("Flags").Concat(["--debug", "--trace"]).Except(["-v", "--version"])];

        Assert.Equal(documented.Order(StringComparer.Ordinal), FlagCases.All.SelectMany(c => c.Names).Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task Each_flag_of_the_help_is_documented_and_each_documented_one_is_in_the_help()
    {
        string help = (await CommandRun.Of("serve", "--help")).Output;
        // The names are in the left column, which may continue on the next line.
        IEnumerable<string> named = Regex.Matches(help, @"(?<=^  |, )--?[A-Za-z][\w-]*(?=[ ,])", RegexOptions.Multiline).Select(m => m.Value)
            .Select(name => name is "--sl" or "--ms" or "--VV" or "--js" or "--sd" ? name[1..] : name);
        string[] known = [.. FlagCases.All.SelectMany(c => c.Names).Except(["-DV", "-DVV"])];

        Assert.Equal(
            known.Concat(["-h", "--help"]).Order(StringComparer.Ordinal),
            named.Distinct(StringComparer.Ordinal).Order(StringComparer.Ordinal));
    }

    [Theory]
    [MemberData(nameof(Flags))]
    public async Task With_what_a_flag_may_be_given_it_starts(string flag)
    {
        foreach (string[] args in Of(flag).Valid)
        {
            string[] filled = Fill(args, flag);
            string[] first = flag is "-p" or "--port" ? ["serve"] : ["serve", "-p", "-1"];
            RealRun test = await RealRun.Of([.. first, "-t", .. filled]);
            RealRun start = await RealRun.Of([.. first, .. filled]);

            Assert.True(
                test.ExitCode == ExitCode.Success && start.ExitCode == ExitCode.Success && start.Addresses is not null,
                $"{string.Join(' ', filled)}\n{test.Said}\n{start.Said}");
        }
    }

    [Theory]
    [MemberData(nameof(Flags))]
    public async Task With_what_it_may_not_be_given_it_says_why_and_does_not_start(string flag)
    {
        foreach (string[] args in Of(flag).Invalid)
        {
            string[] filled = Fill(args, flag);
            RealRun test = await RealRun.Of(["serve", "-t", .. filled]);
            RealRun start = await RealRun.Of(["serve", .. filled]);

            string because = $"{string.Join(' ', filled)}\n{test.Said}\n{start.Said}";
            Assert.True(start.ExitCode is ExitCode.Failure or ExitCode.Usage && start.ExitCode == test.ExitCode && start.Addresses is null, because);
            Assert.True(start.Error.StartsWith("broker: ", StringComparison.Ordinal) && start.Error == test.Error, because);
        }
    }

    [Theory]
    [InlineData("-v")]
    [InlineData("--version")]
    [InlineData("-h")]
    [InlineData("--help")]
    [InlineData("serve", "--help")]
    public async Task What_asks_for_a_text_gets_one(params string[] args)
    {
        RealRun run = await RealRun.Of(args);

        Assert.Equal((ExitCode.Success, ""), (run.ExitCode, run.Error));
        Assert.NotEmpty(run.Output);
    }

    private static FlagCase Of(string flag) => FlagCases.All.Single(c => c.Names.Contains(flag, StringComparer.Ordinal));

    private string[] Fill(string[] args, string flag) =>
    [
        .. args.Select(arg => arg
            .Replace("FLAG", flag, StringComparison.Ordinal)
            .Replace("KEYFILE", _key, StringComparison.Ordinal)
            .Replace("CERT", _certificate, StringComparison.Ordinal)
            .Replace("CONFIG", _config, StringComparison.Ordinal)
            .Replace("FOLDER", _folder.Path, StringComparison.Ordinal)
            .Replace("FREEPORT", FreePort.Next().ToString(CultureInfo.InvariantCulture), StringComparison.Ordinal)),
    ];
}
