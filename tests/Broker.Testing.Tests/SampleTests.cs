using System.Text.RegularExpressions;

namespace Broker.Testing.Tests;

/// <summary>Runs samples/UserTests and compares the code on the pages with it.</summary>
public sealed partial class SampleTests
{
    [Fact]
    public async Task The_tests_of_the_sample_pass()
    {
        string program = Repository.Sample("UserTests");

        (int code, string said) = await Programs.RunAsync("dotnet", null, program, "-noLogo", "-noColor");

        Assert.True(code == 0, said);
        Assert.Contains("Total: 7, Errors: 0, Failed: 0, Skipped: 0", said, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("docs/testing.md")]
    [InlineData("src/Broker.Testing/README.md")]
    public void Code_on_a_page_is_code_of_the_sample(string page)
    {
        string code = Unindented(File.ReadAllText(Path.Combine(Repository.Root, "samples", "UserTests", "OrderDeskTests.cs")));
        string[] blocks = [.. CodeBlock().Matches(File.ReadAllText(Path.Combine(Repository.Root, page))).Select(m => Unindented(m.Groups[1].Value))];

        Assert.NotEmpty(blocks);
        // Usings are at the top of the sample, and before the code on a page.
        Assert.All(blocks.SelectMany(Pieces), p => Assert.Contains(p, code, StringComparison.Ordinal));

        static string[] Pieces(string block) => block.StartsWith("using ", StringComparison.Ordinal) && block.Split("\n\n", 2) is [var usings, var rest]
            ? [.. usings.Split('\n'), rest]
            : [block];
    }

    [Theory]
    [InlineData("| `TestBroker` |", typeof(TestBroker))]
    [InlineData("| `MessageRecorder` |", typeof(MessageRecorder))]
    [InlineData("| `FaultLink` |", typeof(FaultLink))]
    public void Each_member_on_the_page_exists(string title, Type type)
    {
        IEnumerable<string> rows = File.ReadAllLines(Path.Combine(Repository.Root, "docs", "testing.md"))
            .SkipWhile(l => !l.StartsWith(title, StringComparison.Ordinal)).Skip(2).TakeWhile(static l => l.StartsWith('|'));
        string[] named = [.. rows.SelectMany(static r => Member().Matches(r.Split('|')[1]).Select(static m => m.Groups[1].Value))];

        Assert.NotEmpty(named);
        Assert.All(named, n => Assert.NotEmpty(type.GetMember(n)));
    }

    private static string Unindented(string text) => string.Join('\n', text.Split('\n').Select(static l => l.Trim())).Trim();

    [GeneratedRegex("```csharp\n(.*?)```", RegexOptions.CultureInvariant | RegexOptions.Singleline, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex CodeBlock();

    [GeneratedRegex(@"`(?:[A-Z]\w+\.)?([A-Z]\w+)", RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Member();
}
