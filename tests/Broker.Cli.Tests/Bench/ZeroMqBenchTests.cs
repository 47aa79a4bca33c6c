using System.Globalization;
using System.Text.Json;
using Broker.Cli.Tests.CommandLine;
using Broker.Cli.Tests.Shell;
using Broker.Cli.Tests.Starting;

namespace Broker.Cli.Tests.Bench;

/// <summary>Tests <c>broker bench zmq</c>.</summary>
public sealed class ZeroMqBenchTests
{
    private const string Routes = """
        zeromq {
          publishers: "tcp://127.0.0.1:*"
          subscribers: "tcp://127.0.0.1:*"
          routes: [
            { name: queue, pattern: pushpull, subject: work, pushers: "tcp://127.0.0.1:*", pullers: "tcp://127.0.0.1:*" }
            { name: asks, pattern: request, subject: jobs, endpoint: "tcp://127.0.0.1:*" }
            { name: works, pattern: worker, subject: tasks, endpoint: "tcp://127.0.0.1:*" }
          ]
        }
        """;

    private static readonly string[][] Paths = [["bench", "zmq"], ["bench", "zmq", "push"], ["bench", "zmq", "pub"], ["bench", "zmq", "req"]];

    public static TheoryData<string> Examples =>
    [
        .. Paths.Select(static path => CommandRun.Of([.. path, "--help"]).GetAwaiter().GetResult().Output)
            .Append(Documentation.DocumentedText.Read("docs/command.md").Text).SelectMany(static text => text.Split('\n'))
            .Select(static line => line.Split('#')[0].Trim()).Where(IsOfZeroMq).Distinct(StringComparer.Ordinal),
    ];

    /// <summary>Whether the line is a command that these tests run.</summary>
    internal static bool IsOfZeroMq(string line)
        => line.StartsWith("broker bench zmq ", StringComparison.Ordinal) && !line.Contains('[', StringComparison.Ordinal);

    [Theory]
    [InlineData(1, "push", "--senders", "3", "--receivers", "2")]
    [InlineData(3, "pub", "--senders", "2", "--receivers", "3", "--size", "0..300")]
    [InlineData(1, "req", "--requesters", "2", "--responders", "2")]
    public async Task Sockets_that_connect_to_each_other_lose_nothing(int copies, params string[] args)
    {
        JsonElement result = await MeasureAsync([.. args, "--count", "1001"]);

        Assert.Equal("direct", result.GetProperty("server").GetString());
        Assert.Equal(1001, result.GetProperty("messages").GetInt64());
        if (args[0] == "req")
        {
            Assert.True(result.GetProperty("p999_us").GetDouble() > 0);
        }
        else
        {
            double ratio = result.GetProperty("received_per_second").GetDouble() / result.GetProperty("published_per_second").GetDouble();
            Assert.Equal(copies, Math.Round(ratio, 3));
        }
    }

    [Fact]
    public async Task Without_a_count_the_time_ends_the_measurement()
    {
        (int exitCode, string output, string error) = await ShellRun.OfAsync(
            "bench", "zmq", "push", "--time", "100ms", "--warm-up", "20ms", "--connect-timeout", "2m");

        Assert.Equal((ExitCode.Success, ""), (exitCode, error));
        Assert.StartsWith("direct ", output.Split('\n')[1], StringComparison.Ordinal);
    }

    [Fact]
    public async Task Each_pattern_goes_through_a_bridge_in_each_direction()
    {
        using var folder = new TemporaryFolder();
        await RealRun.WhileServingAsync(
            static async addresses =>
            {
                string publishers = addresses.ZeroMqPublishers[0];
                string subscribers = addresses.ZeroMqSubscribers[0];
                string[] server = ["-s", addresses.Nats[0]];
                string[][] all =
                [
                    ["pub", "--from", publishers, "--to", subscribers],
                    ["pub", "--from", publishers, "--subject", "zmq.bench", .. server],
                    ["pub", "--to", subscribers, "--subject", "zmq.bench", .. server],
                    ["push", "--from", Route(addresses, "queue", 0), "--to", Route(addresses, "queue", 1)],
                    ["req", "--from", Route(addresses, "asks", 0), "--subject", "jobs", .. server],
                    ["req", "--to", Route(addresses, "works", 0), "--subject", "tasks", .. server],
                ];
                foreach (string[] args in all)
                {
                    JsonElement result = await MeasureAsync([.. args, "--count", "100"]);
                    Assert.True(result.GetProperty("messages").GetInt64() == 100, $"{string.Join(' ', args)}: {result}");
                }
            },
            "serve", "-q", "-p", "-1", "-c", folder.Write("broker.conf", Routes));
    }

    [Theory]
    [InlineData("no ZeroMQ program has answered at tcp://127.0.0.1:PORT within 0.2 s", "push", "--from", "tcp://127.0.0.1:PORT", "--to", "tcp://127.0.0.1:PORT")]
    [InlineData("no ZeroMQ program has answered at tcp://127.0.0.1:PORT within 0.2 s", "pub", "--from", "tcp://127.0.0.1:PORT", "--to", "tcp://127.0.0.1:PORT")]
    [InlineData("no ZeroMQ program has answered at tcp://127.0.0.1:PORT within 0.2 s", "req", "--from", "tcp://127.0.0.1:PORT", "--to", "tcp://127.0.0.1:PORT")]
    public async Task A_peer_that_never_comes_ends_the_command_with_its_endpoint(string said, params string[] args)
    {
        string port = FreePort.Next().ToString(CultureInfo.InvariantCulture);

        (int exitCode, string output, string error) = await ShellRun.OfAsync(
            ["bench", "zmq", .. args.Select(arg => arg.Replace("PORT", port, StringComparison.Ordinal)), "--connect-timeout", "200ms"]);

        Assert.Equal((ExitCode.Failure, ""), (exitCode, output));
        Assert.Equal($"broker: {said.Replace("PORT", port, StringComparison.Ordinal)}\n", error);
    }

    [Fact]
    public async Task A_way_that_no_route_joins_ends_the_command_with_its_ends()
    {
        await RealRun.WhileServingAsync(
            static async addresses =>
            {
                (int exitCode, string output, string error) = await ShellRun.OfAsync(
                    "bench", "zmq", "pub", "--from", addresses.ZeroMqPublishers[0], "--subject", "elsewhere", "-s", addresses.Nats[0], "--connect-timeout", "1s");

                Assert.Equal((ExitCode.Failure, ""), (exitCode, output));
                Assert.EndsWith(
                    $"broker: no message came from {addresses.ZeroMqPublishers[0]} to elsewhere within 1 s: look whether a route of the bridge joins them\n",
                    error, StringComparison.Ordinal);
            },
            "serve", "-q", "-p", "-1", "--zeromq-publishers", "tcp://127.0.0.1:*", "--zeromq-subscribers", "tcp://127.0.0.1:*");
    }

    [Theory]
    [InlineData("--from and --to must be given together", "push", "--from", "tcp://127.0.0.1:1")]
    [InlineData("--from and --to must be given together, or one of them with --subject", "pub", "--to", "tcp://127.0.0.1:1")]
    [InlineData("--subject needs --from or --to", "req", "--subject", "a")]
    [InlineData("--subject takes the place of --from or of --to", "pub", "--subject", "a", "--from", "tcp://127.0.0.1:1", "--to", "tcp://127.0.0.1:1")]
    [InlineData("\"a.*\" is not a valid subject without wildcards", "pub", "--subject", "a.*", "--from", "tcp://127.0.0.1:1")]
    [InlineData("--from must be an endpoint such as tcp://127.0.0.1:5556", "push", "--from", "nowhere")]
    [InlineData("unknown flag --subject", "push", "--subject", "a")]
    [InlineData("a pattern is missing, such as broker bench zmq push")]
    public async Task What_makes_no_sense_is_refused(string said, params string[] args)
    {
        (int exitCode, string output, string error) = await ShellRun.OfAsync(["bench", "zmq", .. args]);

        Assert.Equal((ExitCode.Usage, ""), (exitCode, output));
        Assert.Contains(said, error, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Examples))]
    public async Task Each_example_of_help_and_page_runs(string line)
    {
        using var folder = new TemporaryFolder();
        await RealRun.WhileServingAsync(
            async addresses =>
            {
                List<string> args = [.. line.Split(' ').Skip(3).Select(arg => arg switch
                {
                    "tcp://127.0.0.1:5556" => addresses.ZeroMqPublishers[0],
                    "tcp://127.0.0.1:5557" => addresses.ZeroMqSubscribers[0],
                    "tcp://127.0.0.1:5558" => Route(addresses, "queue", 0),
                    "tcp://127.0.0.1:5559" => Route(addresses, "queue", 1),
                    "tcp://127.0.0.1:5560" => Route(addresses, "asks", 0),
                    "tcp://127.0.0.1:5561" => Route(addresses, "works", 0),
                    _ => arg,
                })];
                int count = args.IndexOf("--count");
                if (count >= 0)
                {
                    args.RemoveRange(count, 2);
                }

                if (args.Contains("--subject", StringComparer.Ordinal))
                {
                    args.AddRange(["-s", addresses.Nats[0]]);
                }

                JsonElement result = await MeasureAsync([.. args, "--count", "50"]);

                Assert.Equal(50, result.GetProperty("messages").GetInt64());
            },
            "serve", "-q", "-p", "-1", "-c", folder.Write("broker.conf", Routes));
    }

    private static async Task<JsonElement> MeasureAsync(params string[] args)
    {
        (int exitCode, string output, string error) = await ShellRun.OfAsync(["bench", "zmq", .. args, "--json", "--connect-timeout", "2m"]);
        Assert.True(exitCode == ExitCode.Success, $"{string.Join(' ', args)}: {error}{output}");
        JsonElement result = JsonDocument.Parse(output).RootElement;
        Assert.Equal(0, result.GetProperty("lost").GetInt64());
        return result;
    }

    private static string Route(ServeAddresses addresses, string name, int endpoint)
        => addresses.ZeroMqRoutes.Single(route => route.Name == name).Endpoints[endpoint];
}
