using System.Globalization;
using System.Net;
using System.Text.Json;
using System.Xml.Linq;
using Broker.Cli.Tests.CommandLine;
using Broker.Cli.Tests.Documentation;
using Broker.Cli.Tests.Messaging;
using Broker.Cli.Tests.Shell;
using Broker.Server;

namespace Broker.Cli.Tests.Bench;

/// <summary>Tests <c>broker bench</c> with servers.</summary>
public sealed class BenchCommandTests : IDisposable
{
    private static readonly string[][] Paths = [["bench"], ["bench", "pub"], ["bench", "pubsub"], ["bench", "request"]];

    private readonly TemporaryFolder _folder = new();

    public static TheoryData<string> Examples =>
    [
        .. Paths.Select(Help).Append(DocumentedText.Read("docs/command.md").Text).SelectMany(static text => text.Split('\n'))
            .Select(static line => line.Split('#')[0].Trim())
            .Where(static line => IsOfBench(line) && !ZeroMqBenchTests.IsOfZeroMq(line) && !line.Contains('[', StringComparison.Ordinal))
            .Distinct(StringComparer.Ordinal),
    ];

    public void Dispose() => _folder.Dispose();

    /// <summary>Whether the line is a command that these tests run.</summary>
    internal static bool IsOfBench(string line) => line.StartsWith("broker bench ", StringComparison.Ordinal);

    [Theory]
    [InlineData(1000, 1, "pub")]
    [InlineData(1000, 1, "pubsub")]
    [InlineData(1000, 3, "pubsub", "--subscribers", "3", "--publishers", "2")]
    [InlineData(1000, 1, "pubsub", "--subscribers", "3", "--queue", "workers")]
    [InlineData(1000, 1, "pubsub", "--subjects", "7", "--size", "0..300", "numbers")]
    [InlineData(1001, 1, "request", "--requesters", "2", "--responders", "2", "--in-flight", "4")]
    public async Task Every_message_is_counted(int count, int copies, params string[] args)
    {
        await using BrokerServer server = await MessageCommandTests.StartAsync();

        (int exitCode, string output, string error) = await ShellRun.OfAsync(
            ["bench", .. args, "-s", MessageCommandTests.Url(server), "--count", count.ToString(CultureInfo.InvariantCulture), "--json"]);

        Assert.Equal((ExitCode.Success, ""), (exitCode, error));
        JsonElement result = JsonDocument.Parse(output).RootElement;
        Assert.Equal(count, result.GetProperty("messages").GetInt64());
        Assert.Equal(1, result.GetProperty("round").GetInt32());
        Assert.InRange(result.GetProperty("seconds").GetDouble(), double.Epsilon, double.MaxValue);
        if (args[0] != "pub")
        {
            Assert.Equal(0, result.GetProperty("lost").GetInt64());
        }

        if (args[0] == "pubsub")
        {
            // Both rates have the same time.
            double ratio = result.GetProperty("received_per_second").GetDouble() / result.GetProperty("published_per_second").GetDouble();
            Assert.Equal(copies, Math.Round(ratio, 3));
        }
    }

    [Fact]
    public async Task Requests_have_a_distribution_of_times()
    {
        await using BrokerServer server = await MessageCommandTests.StartAsync();

        (int exitCode, string output, _) = await ShellRun.OfAsync("bench", "request", "-s", MessageCommandTests.Url(server), "--count", "500", "--json");

        Assert.Equal(ExitCode.Success, exitCode);
        JsonElement result = JsonDocument.Parse(output).RootElement;
        double[] times = [.. ((string[])["p50_us", "p90_us", "p99_us", "p999_us", "longest_us"]).Select(name => result.GetProperty(name).GetDouble())];
        Assert.Equal(times.Order(), times);
        Assert.True(times[0] > 0, output);
    }

    [Theory]
    [InlineData("pub")]
    [InlineData("pubsub")]
    [InlineData("request")]
    public async Task Without_a_count_the_time_ends_the_measurement(string pattern)
    {
        await using BrokerServer server = await MessageCommandTests.StartAsync();

        (int exitCode, string output, string error) = await ShellRun.OfAsync(
            "bench", pattern, "-s", MessageCommandTests.Url(server), "--time", "100ms", "--warm-up", "50ms");

        Assert.Equal((ExitCode.Success, ""), (exitCode, error));
        string[] lines = output.TrimEnd('\n').Split('\n');
        Assert.Equal(2, lines.Length);
        Assert.StartsWith("server ", lines[0], StringComparison.Ordinal);
        Assert.StartsWith($"127.0.0.1:{Port(server)} ", lines[1], StringComparison.Ordinal);
    }

    [Fact]
    public async Task Servers_are_measured_in_turn_and_the_medians_follow()
    {
        await using BrokerServer one = await MessageCommandTests.StartAsync();
        await using BrokerServer other = await MessageCommandTests.StartAsync();
        string file = Path.Combine(_folder.Path, "results.csv");

        (int exitCode, string output, string error) = await ShellRun.OfAsync(
            "bench", "pubsub", "-s", MessageCommandTests.Url(one), "--compare", MessageCommandTests.Url(other), "--rounds", "3", "--count", "100", "--csv", file);

        Assert.Equal((ExitCode.Success, ""), (exitCode, error));
        string[] names = [.. new[] { one, other }.Select(server => $"127.0.0.1:{Port(server)}")];
        string[] lines = output.TrimEnd('\n').Split('\n');
        Assert.Equal(
            ["server", .. names, .. names, .. names, $"median {names[0]}", $"median {names[1]}"],
            lines[..^1].Select(line => line[..28].TrimEnd()));
        Assert.Matches($"^{names[0]} has [0-9.,]+ times the published/s of {names[1]}$", lines[^1]);
        string[] rows = await File.ReadAllLinesAsync(file, TestContext.Current.CancellationToken);
        Assert.Equal("server,round,published_per_second,received_per_second,megabytes_per_second,messages,lost,seconds,server_cpu_percent", rows[0]);
        Assert.Equal(
            [.. Enumerable.Range(1, 3).SelectMany(round => names.Select(name => $"{name},{round}"))],
            rows.Skip(1).Select(row => string.Join(',', row.Split(',')[..2])));
    }

    [Theory]
    [InlineData("pub", "--time", "300ms", "--warm-up", "0s")]
    [InlineData("pubsub", "--count", "100")]
    [InlineData("request", "--count", "100")]
    public async Task A_plot_is_an_SVG_file_with_a_line_for_each_server(params string[] args)
    {
        await using BrokerServer one = await MessageCommandTests.StartAsync();
        await using BrokerServer other = await MessageCommandTests.StartAsync();
        string file = Path.Combine(_folder.Path, "results.svg");

        (int exitCode, _, string error) = await ShellRun.OfAsync(
            ["bench", .. args, "-s", MessageCommandTests.Url(one), "--compare", MessageCommandTests.Url(other), "--rounds", "2", "--plot", file]);

        Assert.Equal((ExitCode.Success, ""), (exitCode, error));
        XElement svg = XDocument.Load(file).Root!;
        Assert.Equal("svg", svg.Name.LocalName);
        string[] texts = [.. svg.Descendants().Where(static e => e.Name.LocalName == "text").Select(static e => e.Value)];
        Assert.Contains($"127.0.0.1:{Port(one)}", texts);
        Assert.Contains($"127.0.0.1:{Port(other)}", texts);
        Assert.Contains(args[0] == "request" ? "99.9 %" : "seconds", texts);
    }

    [Fact]
    public async Task A_measurement_that_fails_leaves_no_plot()
    {
        await using BrokerServer server = await MessageCommandTests.StartAsync();
        string file = Path.Combine(_folder.Path, "results.svg");

        (int exitCode, _, _) = await ShellRun.OfAsync("bench", "pub", "-s", MessageCommandTests.Url(server), "--size", "2MB", "--count", "1", "--plot", file);

        Assert.Equal(ExitCode.Failure, exitCode);
        Assert.False(File.Exists(file));
    }

    [Fact]
    public async Task The_processor_time_of_a_server_on_this_machine_is_shown()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only Linux shows which process listens on a port");
        using var server = NatsServer.Start();

        (int exitCode, string output, string error) = await ShellRun.OfAsync("bench", "pubsub", "-s", server.Url, "--count", "200000", "--json");

        Assert.Equal((ExitCode.Success, ""), (exitCode, error));
        Assert.InRange(JsonDocument.Parse(output).RootElement.GetProperty("server_cpu_percent").GetDouble(), 0.001, 100_000);
    }

    [Fact]
    public async Task Lost_messages_are_counted_and_fail_the_command()
    {
        // Half of the messages go to a subject without a subscriber.
        await using BrokerServer server = await BrokerServer.StartAsync(
            static options =>
            {
                options.Listen(0);
                options.AuthTimeout = Wait.Limit;
                options.Mappings = [new SubjectMapping("numbers", [new MappingDestination("numbers", 50), new MappingDestination("elsewhere", 50)])];
            },
            TestContext.Current.CancellationToken);

        (int exitCode, string output, string error) = await ShellRun.OfAsync(
            "bench", "pubsub", "-s", MessageCommandTests.Url(server), "--count", "1000", "--json", "numbers");

        Assert.Equal(ExitCode.Undelivered, exitCode);
        long lost = JsonDocument.Parse(output).RootElement.GetProperty("lost").GetInt64();
        Assert.InRange(lost, 1, 999);
        Assert.Equal($"broker: {lost} messages were lost\n", error);
    }

    [Theory]
    [InlineData("--size must be a size such as 128 or 1KB", "pub", "--size", "big")]
    [InlineData("--size must be a size such as 128 or 1KB", "pub", "--size", "200..100")]
    [InlineData("--size must be a size such as 128 or 1KB", "pub", "--size", "")]
    [InlineData("--publishers must be a whole number from 1 to 10000", "pub", "--publishers", "0")]
    [InlineData("--count must be a whole number above 0", "pubsub", "--count", "-1")]
    [InlineData("--count cannot be combined with --time or --warm-up", "pubsub", "--count", "1", "--time", "1s")]
    [InlineData("unknown flag --in-flight", "pubsub", "--in-flight", "1")]
    [InlineData("unknown command \"fanout\"", "fanout")]
    [InlineData("a pattern is missing, such as broker bench pubsub")]
    [InlineData("wildcard", "pub", "a.*")]
    public async Task What_makes_no_sense_is_refused(string said, params string[] args)
    {
        await using BrokerServer server = await MessageCommandTests.StartAsync();
        string[] at = args.Length == 0 || args[0] == "fanout" ? [] : ["-s", MessageCommandTests.Url(server)];

        (int exitCode, string output, string error) = await ShellRun.OfAsync(["bench", .. args, .. at]);

        Assert.Equal((ExitCode.Usage, ""), (exitCode, output));
        Assert.Contains(said, error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("The message has 2,097,152 bytes", "pub", "--size", "2MB")]
    [InlineData("is not there", "pub", "--csv", "MISSING/results.csv")]
    [InlineData("is not there", "pub", "--plot", "MISSING/results.svg")]
    public async Task What_cannot_be_done_fails_with_one_line(string said, params string[] args)
    {
        await using BrokerServer server = await MessageCommandTests.StartAsync();
        args = [.. args.Select(arg => arg.Replace("MISSING", Path.Combine(_folder.Path, "is not there"), StringComparison.Ordinal))];

        (int exitCode, string output, string error) = await ShellRun.OfAsync(["bench", .. args, "-s", MessageCommandTests.Url(server), "--count", "1"]);

        Assert.Equal((ExitCode.Failure, ""), (exitCode, output));
        Assert.Matches("^broker: [^\n]*\n$", error);
        Assert.Contains(said, error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_server_that_refuses_the_messages_ends_the_command()
    {
        await using BrokerServer server = await BrokerServer.StartAsync(
            static options =>
            {
                options.Listen(0);
                options.AuthTimeout = Wait.Limit;
                options.DefaultPermissions = new Permissions { Publish = SubjectPermissions.Only("allowed") };
            },
            TestContext.Current.CancellationToken);

        (int exitCode, string output, string error) = await ShellRun.OfAsync(
            "bench", "pub", "-s", MessageCommandTests.Url(server), "forbidden");

        Assert.Equal((ExitCode.Failure, ""), (exitCode, output));
        Assert.Contains("Permissions Violation", error, StringComparison.Ordinal);
        Assert.EndsWith("broker: The server refuses the messages.\n", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_server_that_stops_ends_the_command()
    {
        BrokerServer server = await MessageCommandTests.StartAsync();
        await using var run = ShellRun.Start("bench", "pubsub", "-s", MessageCommandTests.Url(server), "--time", "10m", "--warm-up", "0s");
        await Wait.UntilAsync(
            async () => (await server.InspectConnectionsAsync(null, TestContext.Current.CancellationToken)).Connections.Any(c => c.MessagesIn > 1000),
            "messages at the server");

        await server.DisposeAsync();

        Assert.Equal(ExitCode.Failure, await run.EndAsync());
        Assert.Contains("the connection to the server was lost", run.Error, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Examples))]
    public async Task Each_example_of_help_and_page_runs(string line)
    {
        await using BrokerServer server = await MessageCommandTests.StartAsync();
        await using BrokerServer other = await MessageCommandTests.StartAsync();
        List<string> args = [.. line.Split(' ').Skip(1)
            .Select(arg => arg.Replace("nats://127.0.0.1:4223", MessageCommandTests.Url(other), StringComparison.Ordinal))
            .Select(arg => arg.StartsWith("results.", StringComparison.Ordinal) ? Path.Combine(_folder.Path, arg) : arg)];
        int count = args.IndexOf("--count");
        if (count >= 0)
        {
            args[count + 1] = "100";
        }
        else if (!args.Contains("--time"))
        {
            args.AddRange(["--time", "50ms", "--warm-up", "0s"]);
        }

        (int exitCode, string output, string error) = await ShellRun.OfAsync([.. args, "-s", MessageCommandTests.Url(server)]);

        Assert.Equal((ExitCode.Success, ""), (exitCode, error));
        Assert.NotEmpty(output);
    }

    private static string Help(string[] path) => CommandRun.Of([.. path, "--help"]).GetAwaiter().GetResult().Output;

    private static int Port(BrokerServer server) => ((IPEndPoint)server.EndPoints[0]).Port;
}
