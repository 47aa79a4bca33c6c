using System.Text.Json;
using Broker.Cli.Tests.CommandLine;
using Broker.Cli.Tests.Documentation;
using Broker.Cli.Tests.Shell;
using Broker.Cli.Tests.Starting;

namespace Broker.Cli.Tests.Servers;

/// <summary>Tests <c>broker server</c> with this broker and with nats-server.</summary>
public sealed class ServerCommandTests
{
    private const int Unknown = 3;
    private const int Critical = 2;

    private static readonly string[][] Paths =
        [["server"], ["server", "ping"], ["server", "info"], ["server", "check"], ["server", "check", "connection"], ["server", "check", "pages"],
            ["server", "report"], ["server", "report", "connections"], ["server", "report", "routes"], ["server", "report", "accounts"]];

    private static readonly string[] Bridge = ["--zeromq-publishers", "bind tcp://127.0.0.1:*", "--zeromq-subscribers", "bind tcp://127.0.0.1:*"];

    public static TheoryData<string> Examples =>
    [
        .. Paths.Select(Help).Append(DocumentedText.Read("docs/command.md").Text).SelectMany(static text => text.Split('\n'))
            .Select(static line => line.Split('#')[0].Trim()).Where(IsOfServer).Distinct(StringComparer.Ordinal),
    ];

    /// <summary>Whether the line is a command that these tests run.</summary>
    internal static bool IsOfServer(string line)
        => line.StartsWith("broker server ", StringComparison.Ordinal) && !line.Contains('[', StringComparison.Ordinal);

    [Fact]
    public async Task A_ping_prints_each_round_trip_and_a_summary()
    {
        await ServeAsync(async (url, _) =>
        {
            (int exitCode, string output, string error) = await ShellRun.OfAsync("server", "ping", "-s", url, "--count", "3", "--interval", "1ms");

            Assert.Equal((ExitCode.Success, ""), (exitCode, error));
            string[] lines = output.TrimEnd('\n').Split('\n');
            Assert.Equal(4, lines.Length);
            Assert.All(lines[..3], line => Assert.Matches(@"^PONG from 127\.0\.0\.1:[0-9]+: [0-9]+\.[0-9]{3} ms$", line));
            Assert.Matches(@"^3 PONGs: shortest [0-9.]+ ms, mean [0-9.]+ ms, longest [0-9.]+ ms$", lines[3]);

            (exitCode, output, error) = await ShellRun.OfAsync("server", "ping", "-s", url, "--count", "2", "--interval", "1ms", "--json");

            Assert.Equal((ExitCode.Success, ""), (exitCode, error));
            JsonElement summary = JsonDocument.Parse(output).RootElement;
            Assert.Equal(2, summary.GetProperty("pings").GetInt64());
            double[] times = [.. ((string[])["shortest_ms", "mean_ms", "longest_ms"]).Select(name => summary.GetProperty(name).GetDouble())];
            Assert.Equal(times.Order(), times);
        });
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Info_shows_what_the_server_says_of_itself(bool isNatsServer)
    {
        if (isNatsServer)
        {
            using var server = NatsServer.Start("--name", "first");
            await ShowAsync(server.Url);
        }
        else
        {
            await ServeAsync((url, _) => ShowAsync(url));
        }

        async Task ShowAsync(string url)
        {
            (int exitCode, string output, string error) = await ShellRun.OfAsync("server", "info", "-s", url);
            Assert.Equal((ExitCode.Success, ""), (exitCode, error));
            Assert.Contains("name            first\n", output, StringComparison.Ordinal);
            Assert.Contains("max_payload     1048576\n", output, StringComparison.Ordinal);
            Assert.Contains("headers         yes\n", output, StringComparison.Ordinal);
            Assert.DoesNotContain("cluster", output, StringComparison.Ordinal);

            (exitCode, output, _) = await ShellRun.OfAsync("server", "info", "-s", url, "--json");
            Assert.Equal(ExitCode.Success, exitCode);
            JsonElement info = JsonDocument.Parse(output).RootElement;
            Assert.Equal("first", info.GetProperty("name").GetString());
            Assert.Matches(isNatsServer ? "^$" : @"^\d+\.\d+\.\d+", info.GetProperty("broker_version").GetString() ?? "");
            Assert.Equal(1_048_576, info.GetProperty("max_payload").GetInt64());
            Assert.False(info.GetProperty("jetstream").GetBoolean());
        }
    }

    [Fact]
    public async Task A_connection_within_the_limits_is_OK()
    {
        await ServeAsync(async (url, _) =>
        {
            (int exitCode, string output, string error) = await ShellRun.OfAsync(
                "server", "check", "connection", "-s", url, "--connect-warning", "1h", "--connect-critical", "1h", "--rtt-warning", "1h", "--rtt-critical", "2h");

            Assert.Equal((0, ""), (exitCode, error));
            Assert.Matches(
                @"^connection OK: connect [0-9.]+ ms, rtt [0-9.]+ ms \| connect=[0-9.]+ms;3600000;3600000 rtt=[0-9.]+ms;3600000;7200000\n$", output);
        });
    }

    [Theory]
    [InlineData("connection WARNING: rtt ", 1, "--rtt-warning", "0s", "--rtt-critical", "1h", "--connect-warning", "1h", "--connect-critical", "1h")]
    [InlineData("connection CRITICAL: connect ", 2, "--connect-critical", "0s", "--connect-warning", "0s", "--rtt-warning", "1h", "--rtt-critical", "1h")]
    [InlineData("connection UNKNOWN: --rtt-warning must not be above --rtt-critical", 3, "--rtt-warning", "2s", "--rtt-critical", "1s")]
    public async Task The_worst_value_decides_the_status(string start, int expected, params string[] args)
    {
        await ServeAsync(async (url, _) =>
        {
            (int exitCode, string output, string error) = await ShellRun.OfAsync(["server", "check", "connection", "-s", url, .. args]);

            Assert.Equal((expected, ""), (exitCode, error));
            Assert.StartsWith(start, output, StringComparison.Ordinal);
        });
    }

    [Fact]
    public async Task A_server_that_is_away_is_critical_and_a_wrong_flag_is_unknown()
    {
        (int exitCode, string output, string error) = await ShellRun.OfAsync("server", "check", "connection", "-s", "nats://127.0.0.1:1");
        Assert.Equal((Critical, ""), (exitCode, error));
        Assert.Matches("^connection CRITICAL: [^\n]+\n$", output);

        (exitCode, output, error) = await ShellRun.OfAsync("server", "check", "pages", "-s", "http://127.0.0.1:1");
        Assert.Equal((Critical, ""), (exitCode, error));
        Assert.StartsWith("pages CRITICAL: http://127.0.0.1:1/ cannot be read: ", output, StringComparison.Ordinal);

        (exitCode, output, error) = await ShellRun.OfAsync("server", "check", "connection", "--rtt", "1s");
        Assert.Equal((Unknown, ""), (exitCode, output));
        Assert.Contains("unknown flag --rtt", error, StringComparison.Ordinal);

        (exitCode, output, _) = await ShellRun.OfAsync("server", "check");
        Assert.Equal((Unknown, ""), (exitCode, output));
    }

    [Fact]
    public async Task Pages_are_compared_with_the_limits()
    {
        await ServeAsync(async (_, pages) =>
        {
            (int exitCode, string output, string error) = await ShellRun.OfAsync(
                "server", "check", "pages", "-s", pages, "--connections-warning", "1000", "--memory-critical", "1TB", "--cpu-warning", "10000");
            Assert.Equal((0, ""), (exitCode, error));
            Assert.Matches(
                @"^pages OK: connections 0, subscriptions 0, slow_consumers 0, memory [0-9]+ B, cpu [0-9.]+ % \| connections=0;1000; subscriptions=0;; slow_consumers=0;; memory=[0-9]+B;;1099511627776 cpu=[0-9.]+%;10000;\n$",
                output);

            (exitCode, output, _) = await ShellRun.OfAsync("server", "check", "pages", "-s", pages, "--memory-warning", "1KB", "--memory-critical", "1TB");
            Assert.Equal(1, exitCode);
            Assert.StartsWith("pages WARNING: memory ", output, StringComparison.Ordinal);

            (exitCode, output, _) = await ShellRun.OfAsync("server", "check", "pages", "-s", pages + "elsewhere/");
            Assert.Equal(Critical, exitCode);
            Assert.Contains("elsewhere/healthz does not exist", output, StringComparison.Ordinal);
        });
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_report_of_accounts_counts_what_their_clients_sent_and_received(bool isNatsServer)
    {
        await (isNatsServer ? NatsAsync() : ServeAsync(CheckAsync));

        async Task NatsAsync()
        {
            int port = FreePort.Next();
            using var server = NatsServer.Start("-m", port.ToString(System.Globalization.CultureInfo.InvariantCulture));
            await CheckAsync(server.Url, $"http://127.0.0.1:{port}/");
        }

        static async Task CheckAsync(string url, string pages)
        {
            Assert.Equal(ExitCode.Success, (await ShellRun.OfAsync("pub", "-s", url, "a", "12345")).ExitCode);

            (int exitCode, string output, string error) = await ShellRun.OfAsync("server", "report", "accounts", "-s", pages);

            Assert.Equal((ExitCode.Success, ""), (exitCode, error));
            Assert.Matches("^account  +connections +leaf nodes +messages in +bytes in +messages out +bytes out\n", output);
            Assert.Matches("(?m)^\\$G +0 +0 +1 +5 +0 +0$", output);

            (exitCode, output, error) = await ShellRun.OfAsync("server", "report", "accounts", "-s", pages, "--json");

            Assert.Equal((ExitCode.Success, ""), (exitCode, error));
            Assert.Contains("{\"account\":\"$G\",\"connections\":0,\"leaf_nodes\":0,\"messages_in\":1,\"bytes_in\":5,\"messages_out\":0,\"bytes_out\":0}\n", output, StringComparison.Ordinal);
        }
    }

    [Fact]
    public Task A_report_of_connections_or_routes_ends_after_one_table() => RealRun.WhileServingAsync(
        static async addresses =>
        {
            string pages = addresses.Monitoring[0] + "/";

            (int exitCode, string output, string error) = await ShellRun.OfAsync("server", "report", "routes", "-s", pages, "--interval", "100ms");

            Assert.Equal((ExitCode.Success, ""), (exitCode, error));
            Assert.Contains("pubsub", output, StringComparison.Ordinal);
            (exitCode, output, error) = await ShellRun.OfAsync("server", "report", "connections", "-s", pages, "--interval", "100ms", "--json");
            Assert.Equal((ExitCode.Success, ""), (exitCode, error));
            Assert.Single(output.TrimEnd('\n').Split('\n'));
        },
        ["serve", "-q", "-p", "-1", "-m", "-1", .. Bridge]);

    [Theory]
    [MemberData(nameof(Examples))]
    public async Task An_example_does_what_it_says(string line)
    {
        await ServeAsync(async (url, pages) =>
        {
            string[] args = [.. line.Split(' ').Skip(1)];
            string address = args.Contains("pages", StringComparer.Ordinal) || args.Contains("report", StringComparer.Ordinal) ? pages : url;
            int server = Array.IndexOf(args, "-s");
            args = server < 0 ? [.. args, "-s", address] : [.. args[..(server + 1)], address, .. args[(server + 2)..]];
            // The limits of an example say nothing about a busy machine.
            args = [.. args.Select(static arg => arg.EndsWith("ms", StringComparison.Ordinal) && arg != "10ms" ? "1h" : arg)];
            args = args.Contains("connection", StringComparer.Ordinal)
                ? [.. args, "--connect-warning", "1h", "--connect-critical", "1h", "--rtt-warning", "1h", "--rtt-critical", "1h"]
                : args;

            (int exitCode, string output, string error) = await ShellRun.OfAsync(args);

            Assert.Equal((ExitCode.Success, ""), (exitCode, error));
            Assert.NotEmpty(output);
        }, line.Contains("routes", StringComparison.Ordinal) ? Bridge : []);
    }

    private static Task ServeAsync(Func<string, string, Task> work, params string[] more)
        => RealRun.WhileServingAsync(
            addresses => work(addresses.Nats[0], addresses.Monitoring[0] + "/"), ["serve", "-q", "-p", "-1", "-m", "-1", "--name", "first", .. more]);

    // Help never waits.
    private static string Help(string[] command) => CommandRun.Of([.. command, "--help"]).GetAwaiter().GetResult().Output;
}
