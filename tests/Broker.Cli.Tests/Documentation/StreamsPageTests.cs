using System.Text.RegularExpressions;
using Broker.Cli.Tests.Shell;
using Broker.Cli.Tests.Starting;
using Broker.Cli.Tests.Streams;
using Broker.Client;
using Broker.Client.Streams;
using Broker.Server;
using Broker.Streams;

namespace Broker.Cli.Tests.Documentation;

/// <summary>Runs the commands and the code of docs/streams.md.</summary>
public sealed partial class StreamsPageTests : IDisposable
{
    private const string Page = "docs/streams.md";

    private readonly TemporaryFolder _folder = new();

    private string Data => Path.Combine(_folder.Path, "data");

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task The_commands_do_what_the_page_says()
    {
        string[] all = [.. DocumentedText.Read(Page).Commands("broker")];
        string[] lines = [.. all.Where(static line => !IsOfDirectory(line) && !IsCopy(line))];
        string[] serve = Words(Assert.Single(lines, static line => line.StartsWith("broker serve ", StringComparison.Ordinal)));
        string[] flags = [.. serve.Select(InFolder), "-q", "-p", "-1"];
        var output = new List<string>();
        await RealRun.WhileServingAsync(
            async addresses =>
            {
                foreach (string line in lines.Where(static line => !line.StartsWith("broker serve ", StringComparison.Ordinal)))
                {
                    output.Add(await RunAsync(line, addresses.Nats[0]));
                    if (line.StartsWith("broker pub ", StringComparison.Ordinal))
                    {
                        // The command does not wait until the stream has stored the message.
                        await Wait.UntilAsync(async () => (await RunAsync("broker stream view ORDERS", addresses.Nats[0])).Contains("2 apples", StringComparison.Ordinal), "the message is stored");
                    }
                }
            },
            flags);
        Assert.Contains("2 apples", output[^1], StringComparison.Ordinal);
        foreach (string line in all.Where(IsOfDirectory))
        {
            await using var run = ShellRun.StartTyping("y\n", [.. Words(line).Select(InFolder)]);
            Assert.True(await run.EndAsync() == ExitCode.Success, $"{line}\n{run.Error}");
        }

        // The message is there after a stop and a start.
        await RealRun.WhileServingAsync(
            async addresses => Assert.Contains("2 apples", await RunAsync(lines[^1], addresses.Nats[0]), StringComparison.Ordinal),
            flags);
    }

    // It needs another server, so the tests of the examples run it.
    [Fact]
    public void The_copy_of_the_page_is_one_of_the_examples_that_are_run()
        => Assert.Contains(Assert.Single(DocumentedText.Read(Page).Commands("broker"), IsCopy), StreamExampleTests.Lines.Select(static row => row.Data));

#pragma warning disable xUnit1051 // The code of the page has no cancellation tokens.
    [Fact]
    public async Task The_code_stores_a_message()
    {
        await using BrokerServer server = await BrokerServer.StartAsync(options => options.Listen(0), ServerStreams.In(Data));
        await using BrokerConnection client = await BrokerConnection.ConnectAsync(server.CreateDialer()); // no socket
        using StreamsClient streams = client.Streams();
        await streams.CreateOrUpdateStreamAsync(new StreamConfig("ORDERS", "orders.>"));
        PublishAck ack = await streams.PublishAsync("orders.new", "2 apples"u8.ToArray());

        Assert.Equal(1ul, ack.Sequence);
    }
#pragma warning restore xUnit1051

    [Fact]
    public async Task The_code_of_the_page_is_that_of_the_test_above()
    {
        string page = DocumentedText.Read(Page).Text;
        string source = await File.ReadAllTextAsync(
            Path.Combine(Repository.Root, "tests/Broker.Cli.Tests/Documentation", $"{nameof(StreamsPageTests)}.cs"), TestContext.Current.CancellationToken);
        string code = Assert.Single(Code().Matches(page)).Groups[1].Value
            .Replace("Listen(4222)", "Listen(0)", StringComparison.Ordinal).Replace("In(\"data\")", "In(Data)", StringComparison.Ordinal);

        Assert.All(
            code.Split('\n', StringSplitOptions.RemoveEmptyEntries).Where(static line => !line.StartsWith("Console.", StringComparison.Ordinal)),
            line => Assert.Contains(line.Trim(), source, StringComparison.Ordinal));
    }

    private static async Task<string> RunAsync(string line, string url)
    {
        string[] args = [.. Words(line), "-s", url];
        await using var run = ShellRun.Start(args);
        Assert.True(await run.EndAsync() == ExitCode.Success, $"{line}\n{run.Error}");
        return run.Output;
    }

    // The directory and the backups of the page are in the folder of the test.
    private string InFolder(string word) => word is "data" or "monday" or "restored" ? Path.Combine(_folder.Path, word) : word;

    private static bool IsOfDirectory(string line) => line.Contains("--store-dir", StringComparison.Ordinal);

    private static bool IsCopy(string line) => line.StartsWith("broker stream copy ", StringComparison.Ordinal);

    private static string[] Words(string line)
        => [.. Word().Matches(line).Select(static match => match.Value.Trim('\'', '"')).Skip(1)];

    [GeneratedRegex("```csharp\n(.*?)```", RegexOptions.Singleline | RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Code();

    [GeneratedRegex("'[^']*'|\"[^\"]*\"|\\S+", RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Word();
}
