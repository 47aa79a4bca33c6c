using System.Globalization;
using System.Reflection;
using Broker.Client.Tests.Support;
using FirstPrograms;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Broker.Client.Tests.Documents;

/// <summary>
/// The ten programs that a newcomer writes first, in our form and in the form of NATS.Net: both work with both servers,
/// the page shows ours, and ours are no longer.
/// </summary>
public sealed class FirstProgramsTests
{
    private static readonly (string Name, string[] Output)[] Programs =
    [
        (nameof(PublishAndSubscribe), ["weather.oslo: 4 degrees"]),
        (nameof(Handlers), ["done: sweep", "done: mop"]),
        (nameof(RequestAndReply), ["QUIET"]),
        (nameof(QueueGroup), ["10 jobs, 10 done"]),
        (nameof(Headers), ["tea, trace 42"]),
        (nameof(JsonValues), ["2 tea"]),
        (nameof(Wildcards), ["all tokens: weather.oslo", "all tokens: weather.oslo.rain", "one token: weather.oslo"]),
        (nameof(ManyReplies), ["one", "two"]),
        (nameof(Errors), ["nobody subscribes", "no reply in time"]),
        (nameof(Draining), ["100 of 100 jobs are done"]),
    ];

    /// <summary>The programs, for both servers and both libraries.</summary>
    public static TheoryData<string, ServerKind, bool> Runs()
    {
        var runs = new TheoryData<string, ServerKind, bool>();
        foreach ((string name, _) in Programs)
        {
            foreach (ServerKind kind in Enum.GetValues<ServerKind>())
            {
                runs.Add(name, kind, true);
                runs.Add(name, kind, false);
            }
        }

        return runs;
    }

    [Theory]
    [MemberData(nameof(Runs))]
    public async Task A_first_program_prints_what_it_should(string name, ServerKind kind, bool isOurs)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        await Patient.WarmUpAsync(server.Url, TestContext.Current.CancellationToken);
        Type program = isOurs
            ? typeof(PublishAndSubscribe).Assembly.GetType($"FirstPrograms.{name}", throwOnError: true)!
            : Assembly.GetExecutingAssembly().GetType($"NatsNetPrograms.{name}", throwOnError: true)!;
        await using var printed = new StringWriter(CultureInfo.InvariantCulture);
        await Wait.For((Task)program.GetMethod("RunAsync")!.Invoke(null, [server.Url, TextWriter.Synchronized(printed)])!);

        // Two subscriptions and two services may be in any order.
        string[] lines = printed.ToString().Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);
        if (name is nameof(Wildcards) or nameof(ManyReplies))
        {
            Array.Sort(lines, StringComparer.Ordinal);
        }

        Assert.Equal(Programs.Single(p => p.Name == name).Output, lines);
    }

    [Fact]
    public void The_page_shows_each_program_and_its_number_of_tokens()
    {
        string page = Pages.Read("docs", "first-programs.md");
        string[] shown = [.. page.Split("```csharp\n").Skip(1).Select(static rest => rest[..rest.IndexOf("```", StringComparison.Ordinal)])];
        Assert.Equal(Programs.Select(static p => Pages.Read(Ours(p.Name))), shown);
        string[] rows = [.. page.Split('\n').Where(static line => line.StartsWith("| [", StringComparison.Ordinal))];
        Assert.Equal(
            Programs.Select(static p => $"| [{p.Name}](../samples/FirstPrograms/{p.Name}.cs) | {Tokens(Ours(p.Name))} | {Tokens(Theirs(p.Name))} |"), rows);
    }

    [Fact]
    public void No_program_is_longer_than_with_NATS_Net()
        => Assert.All(Programs, static p => Assert.InRange(Tokens(Ours(p.Name)), 1, Tokens(Theirs(p.Name))));

    private static string[] Ours(string name) => ["samples", "FirstPrograms", $"{name}.cs"];

    private static string[] Theirs(string name) => ["tests", "Broker.Client.Tests", "Documents", "NatsNet", $"{name}.cs"];

    // The compiler counts, so neither the format of a file nor its comments matter.
    private static int Tokens(string[] file)
        => CSharpSyntaxTree.ParseText(Pages.Read(file), cancellationToken: TestContext.Current.CancellationToken)
            .GetRoot(TestContext.Current.CancellationToken).DescendantTokens().Count(static t => !t.IsKind(SyntaxKind.EndOfFileToken));
}
