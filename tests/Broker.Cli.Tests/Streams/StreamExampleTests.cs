using System.CommandLine;
using System.Text.RegularExpressions;
using Broker.Cli.Buckets;
using Broker.Cli.Consumers;
using Broker.Cli.Objects;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Cli.Tests.CommandLine;
using Broker.Cli.Tests.Documentation;
using Broker.Cli.Tests.Shell;
using Broker.Client;
using Broker.Client.Streams;
using Broker.Server;
using Broker.Streams;

namespace Broker.Cli.Tests.Streams;

/// <summary>
/// Runs every example about streams in help texts and pages as printed, with a server that has what the examples name.
/// </summary>
public sealed partial class StreamExampleTests : IDisposable
{
    private const int Messages = 12;

    private static readonly ShellStreams Shell = new(Stream.Null, Stream.Null, TextWriter.Null, isInputRedirected: true, colours: false);

    private static readonly Command[] Groups = [StreamCommands.Build(Shell), ConsumerCommands.Build(Shell), BucketCommands.Build(Shell), ObjectCommands.Build(Shell)];

    private readonly TemporaryFolder _folder = new();

    public static TheoryData<string> Lines =>
    [
        .. Paths().Select(Help).SelectMany(static text => text.Split('\n'))
            .Concat(DocumentedText.Read("docs/command.md").Commands("broker"))
            .Select(static line => line.Split(" #")[0].Trim()).Where(IsOfStreams).Distinct(StringComparer.Ordinal),
    ];

    public void Dispose() => _folder.Dispose();

    /// <summary>Whether the line is a command that these tests run, and not a usage line of a help text.</summary>
    internal static bool IsOfStreams(string line)
        => Groups.Any(group => line.StartsWith($"broker {group.Name} ", StringComparison.Ordinal))
        && !line.Contains('[', StringComparison.Ordinal) && !line.Contains("...", StringComparison.Ordinal) && !line.Contains("--help", StringComparison.Ordinal);

    [Fact]
    public void Each_command_has_an_example()
        => Assert.All(Paths().Where(static path => path.Length == 2), static path => Assert.Contains(Lines, row => row.Data.StartsWith($"broker {path[0]} {path[1]}", StringComparison.Ordinal)));

    [Theory]
    [MemberData(nameof(Lines))]
    public async Task A_line_as_it_is_printed_does_what_it_says(string line)
    {
        string[] args = Words(line);
        if (args.Contains("--store-dir", StringComparer.Ordinal))
        {
            await RunWithDirectoryAsync(line, args);
            return;
        }

        using var server = StreamsServer.Start(NewerNatsServers.Sid);
        if (args is ["stream", "copy", ..])
        {
            await RunCopyAsync(server, line, args);
            return;
        }

        await FillAsync(server, args);
        args = args[0] == "object" ? [.. InFolder(args)] : args;
        if (args.Contains("orders.json", StringComparer.Ordinal))
        {
            string config = _folder.Write("orders.json", """{"config":{"name":"ORDERS","subjects":["orders.>"],"max_age":86400000000000}}""");
            args = [.. args.Select(word => word == "orders.json" ? config : word)];
        }


        await using ShellRun run = line.Contains(" < ", StringComparison.Ordinal)
            ? ShellRun.StartWith("from a file"u8.ToArray(), server.With(args))
            : ShellRun.StartTyping("y\n", server.With(args));
        if (args.Contains("--follow", StringComparer.Ordinal))
        {
            await run.ShownAsync(" body");
            Assert.Equal(ExitCode.Success, await run.StopAsync());
        }
        else if (args is ["kv", "watch", ..])
        {
            await run.SaidAsync("watching for changes");
            Assert.Equal(ExitCode.Success, await run.StopAsync());
        }
        else
        {
            Assert.True(await run.EndAsync() == ExitCode.Success, $"{line}\n{run.Error}");
            Assert.DoesNotContain("broker: ", run.Error, StringComparison.Ordinal);
            Assert.NotEmpty(run.Output + run.Error);
        }
    }

    // The server of the examples is the source, and a broker is the target.
    private async Task RunCopyAsync(StreamsServer server, string line, string[] args)
    {
        await FillAsync(server, args);
        await using BrokerServer target = await BrokerServer.StartAsync(
            static options => options.Listen(0), ServerStreams.In(Path.Combine(_folder.Path, "data")), TestContext.Current.CancellationToken);
        string[] words = [.. args.Select(word => word.EndsWith(":4333", StringComparison.Ordinal) ? server.Url : word.EndsWith(":4222", StringComparison.Ordinal) ? $"nats://{target.EndPoints[0]}" : word)];
        words = words.Contains("--server", StringComparer.Ordinal) ? words : [.. words, "--server", $"nats://{target.EndPoints[0]}"];
        (int exitCode, string output, string error) = await ShellRun.OfAsync([.. words, "--timeout", "2m"]);
        Assert.True(exitCode == ExitCode.Success, $"{line}\n{error}");
        Assert.NotEmpty(output);
    }

    // These commands need no server. They use the directory of a stopped one.
    private static async Task RunWithDirectoryAsync(string line, string[] args)
    {
        using StoppedStore store = await StoppedStore.MakeAsync();
        if (args[1] == "restore")
        {
            Assert.Equal(ExitCode.Success, (await ShellRun.OfAsync("stream", "backup", Path.Combine(store.Folder, args[2]), "--store-dir", store.Data)).ExitCode);
            Directory.Delete(store.Data, recursive: true);
        }

        await using var run = ShellRun.StartTyping("y\n", [.. args.Select(word => word is "data" or "monday" or "restored" ? Path.Combine(store.Folder, word) : word)]);
        Assert.True(await run.EndAsync() == ExitCode.Success, $"{line}\n{run.Error}");
        Assert.NotEmpty(run.Output);
    }

    // The streams and consumers of the examples must not exist with other options.
    private static async Task FillAsync(StreamsServer server, string[] args)
    {
        if (args is ["stream", "add", "ORDERS", ..])
        {
            return;
        }

        await using BrokerConnection connection = await server.ConnectAsync();
        using StreamsClient streams = connection.Streams();
        CancellationToken ended = TestContext.Current.CancellationToken;
        await server.RunAsync("stream", "add", "ORDERS", "--subjects", "orders.>");
        if (args is not ["consumer", "add", ..])
        {
            await server.RunAsync("consumer", "add", "ORDERS", "billing");
        }

        if (args is not ["object", "add", ..])
        {
            await server.RunAsync("object", "add", "reports");
            await using var put = ShellRun.StartWith("a report"u8.ToArray(), server.With("object", "put", "reports", "--name", "report.pdf"));
            Assert.Equal(ExitCode.Success, await put.EndAsync());
        }

        if (args is not ["kv", "add", ..])
        {
            await server.RunAsync("kv", "add", "settings");
            await server.RunAsync("kv", "put", "settings", "lamps.hall", "on");
            await server.RunAsync("kv", "create", "settings", "lamps.kitchen", "off");
            await server.RunAsync("kv", "put", "settings", "motd", "hello");
        }

        for (int i = 0; i < Messages; i++)
        {
            await streams.PublishAsync(i == 0 ? "orders.old" : "orders.new", "body"u8.ToArray(), cancellationToken: ended);
        }
    }

    // The files of the examples are in the folder of the test.
    private IEnumerable<string> InFolder(string[] args)
    {
        string report = _folder.Write("report.pdf", "a report");
        for (int i = 0; i < args.Length; i++)
        {
            bool isFile = (args[1] == "put" && args[i] == "report.pdf") || (i > 0 && args[i - 1] == "--output" && args[i] != "-");
            yield return isFile ? Path.Combine(_folder.Path, args[i]) : args[i];
        }

        if (args[1] == "get" && !args.Contains("--output", StringComparer.Ordinal))
        {
            yield return "--output";
            yield return report + ".copy";
        }
    }

    private static IEnumerable<string[]> Paths()
        => Groups.SelectMany(static group => group.Subcommands.Select(command => (string[])[group.Name, command.Name]).Prepend([group.Name]));

    // Parsing and help never wait.
    private static string Help(string[] path) => CommandRun.Of([.. path, "--help"]).GetAwaiter().GetResult().Output;

    // Splits the line like a shell. The program after a pipe is not run.
    private static string[] Words(string line)
        => [.. Word().Matches(line.Split(" | ")[0].Split(" < ")[0]).Skip(1).Select(static m => m.Value.Trim(m.Value[0] is '\'' or '"' ? m.Value[0] : ' '))];

    [GeneratedRegex("\"[^\"]*\"|'[^']*'|\\S+", RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Word();
}
