using System.Globalization;
using System.Text.Json;
using Broker.Cli.Tests.CommandLine;
using Broker.Cli.Tests.Documentation;
using Broker.Cli.Tests.Shell;
using Broker.Cli.Tests.Starting;
using Broker.Client;

namespace Broker.Cli.Tests.Top;

/// <summary>Tests <c>broker top</c> with this broker and with nats-server.</summary>
public sealed class TopCommandTests
{
    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    public static TheoryData<string> Examples =>
    [
        .. Help().Split('\n').Concat(DocumentedText.Read("docs/command.md").Text.Split('\n'))
            .Select(static line => line.Split('#')[0].Trim()).Where(IsOfTop).Distinct(StringComparer.Ordinal),
    ];

    /// <summary>Whether the line is a command that these tests run.</summary>
    internal static bool IsOfTop(string line)
        => (line == "broker top" || line.StartsWith("broker top ", StringComparison.Ordinal)) && !line.Contains('[', StringComparison.Ordinal);

    [Fact]
    public async Task As_JSON_each_connection_has_its_rates()
    {
        await ServeAsync(async (url, pages) =>
        {
            await using BrokerConnection client = await ConnectAsync(url);
            await using TrafficOf traffic = await TrafficOf.StartAsync(client);

            JsonElement top = await JsonAsync(pages);

            JsonElement server = top.GetProperty("server");
            Assert.Equal(1, server.GetProperty("subscriptions").GetInt64());
            Assert.True(server.GetProperty("in_msgs_per_second").GetDouble() > 0);
            JsonElement first = top.GetProperty("connections")[0];
            Assert.Equal("worker", first.GetProperty("name").GetString());
            Assert.Equal("127.0.0.1", first.GetProperty("ip").GetString());
            Assert.Equal(1, first.GetProperty("subscriptions").GetInt64());
            Assert.All(
                (string[])["in_msgs_per_second", "out_msgs_per_second", "in_bytes_per_second", "out_bytes_per_second"],
                name => Assert.True(first.GetProperty(name).GetDouble() > 0, name));
            JsonElement route = Assert.Single(top.GetProperty("routes").EnumerateArray());
            Assert.Equal("pubsub", route.GetProperty("name").GetString());
            Assert.Equal(0, route.GetProperty("peers").GetInt64());
        });
    }

    [Fact]
    public async Task A_nats_server_is_shown_too()
    {
        using var server = NatsServer.Start("-m", "-1");
        await using BrokerConnection client = await ConnectAsync(server.Url);
        await using TrafficOf traffic = await TrafficOf.StartAsync(client);
        string pages = server.Http.BaseAddress!.ToString();

        JsonElement top = await JsonAsync(pages);
        (int exitCode, string routes, string error) = await ShellRun.OfAsync("top", "-s", pages, "--once", "--routes");

        Assert.Equal("worker", Assert.Single(top.GetProperty("connections").EnumerateArray()).GetProperty("name").GetString());
        Assert.True(top.GetProperty("server").GetProperty("out_msgs_per_second").GetDouble() > 0);
        Assert.False(top.TryGetProperty("routes", out _));
        Assert.Equal((ExitCode.Failure, "", "broker: the server has no ZeroMQ bridge\n"), (exitCode, routes, error));
    }

    [Fact]
    public async Task Once_prints_a_table_without_control_characters()
    {
        await ServeAsync(async (url, pages) =>
        {
            await using BrokerConnection client = await BrokerConnection.ConnectAsync(new ClientOptions { Servers = [url], Name = "[red]\u001b[2Jname" }, Ended);
            await client.FlushAsync(Ended);

            (int exitCode, string output, string error) = await ShellRun.OfAsync("top", "-s", pages, "--once", "--interval", "100ms", "--sort", "subs");

            Assert.Equal((ExitCode.Success, ""), (exitCode, error));
            Assert.DoesNotContain('\u001b', output);
            string[] lines = output.TrimEnd('\n').Split('\n');
            // The version of the broker, not that of the nats-server whose features it has.
            Assert.Matches(@"^[^ ]+, broker \d+\.\d+\.\d+[^ ]*, up ", lines[0]);
            Assert.StartsWith("in 0 msg/s, 0B/s; out 0 msg/s, 0B/s; slow consumers 0", lines[1], StringComparison.Ordinal);
            Assert.Equal("2 connections by subscriptions", lines[2]);
            Assert.Matches("^cid +client +user +address +in/s +out/s +in B/s +out B/s +pending +subs$", lines[4].TrimStart());
            Assert.Contains(lines, static line => line.Contains(@"[red]\x1b[2Jname", StringComparison.Ordinal));
            Assert.Equal(7, lines.Length);
        });
    }

    [Fact]
    public async Task Without_once_a_JSON_line_follows_each_interval_until_the_stop()
    {
        await ServeAsync(async (_, pages) =>
        {
            await using var run = ShellRun.Start("top", "-s", pages, "--json", "--interval", "100ms");
            await Wait.UntilAsync(() => run.Output.Count(static c => c == '\n') >= 3 || run.HasEnded, () => run.Error);

            Assert.Equal(ExitCode.Success, await run.StopAsync());
            Assert.All(run.Output.TrimEnd('\n').Split('\n'), static line => JsonDocument.Parse(line).Dispose());
        });
    }

    [Fact]
    public async Task A_server_that_goes_away_is_reported_and_is_read_again_when_it_is_back()
    {
        using var server = NatsServer.Start("-m", "-1");
        string pages = server.Http.BaseAddress!.ToString();
        await using var run = ShellRun.Start("top", "-s", pages, "--json", "--interval", "100ms");
        await run.ShownAsync("\"server\"");

        server.Kill();
        await run.SaidAsync("cannot be read");

        Assert.Equal(ExitCode.Success, await run.StopAsync());
        Assert.Contains($"broker: {pages} cannot be read", run.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("--server must be the address of a monitoring port, such as http://127.0.0.1:8222, not \"nats://127.0.0.1:4222\"", "-s", "nats://127.0.0.1:4222")]
    [InlineData("--server must be the address of a monitoring port, such as http://127.0.0.1:8222 (", "-s", "nats://user:secret@127.0.0.1:4222")]
    [InlineData("--sort must be rate, bytes, pending or subs, not \"name\"", "--sort", "name")]
    [InlineData("--interval must be a time from 100ms to 1h", "--interval", "1ms")]
    [InlineData("--count must be a whole number above 0", "-n", "0")]
    [InlineData("--tlscacert: ", "--once", "--tlscacert", "/no such file")]
    [InlineData("unexpected argument", "http://127.0.0.1:8222")]
    public async Task What_makes_no_sense_is_refused(string said, params string[] args)
    {
        (int exitCode, string output, string error) = await ShellRun.OfAsync(["top", .. args]);

        Assert.Equal((ExitCode.Usage, ""), (exitCode, output));
        Assert.Contains(said, error, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_port_without_pages_is_an_error_that_does_not_show_a_password()
    {
        using var server = NatsServer.Start();

        (int exitCode, string output, string error) = await ShellRun.OfAsync(
            "top", "--once", "-s", string.Create(CultureInfo.InvariantCulture, $"http://user:secret@127.0.0.1:{server.Port}"));

        Assert.Equal((ExitCode.Failure, ""), (exitCode, output));
        Assert.StartsWith($"broker: http://127.0.0.1:{server.Port}/ cannot be read: ", error, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_path_without_pages_is_an_error()
    {
        await ServeAsync(async (_, pages) =>
        {
            (int exitCode, _, string error) = await ShellRun.OfAsync("top", "--once", "-s", pages + "prefix");

            Assert.Equal(ExitCode.Failure, exitCode);
            Assert.Equal($"broker: {pages}prefix/varz does not exist; the address must be that of a monitoring port of a NATS server\n", error);
        });
    }

    [Fact]
    public async Task Pages_over_TLS_are_read_if_their_authority_is_trusted()
    {
        TestCertificates certificates = TestCertificates.Common;
        await ServeAsync(
            async (_, pages) =>
            {
                (int exitCode, string output, string error) = await ShellRun.OfAsync(
                    "top", "-s", pages, "--once", "--json", "--interval", "100ms", "--tlscacert", certificates.AuthorityFile);
                Assert.Equal((ExitCode.Success, ""), (exitCode, error));
                Assert.StartsWith("{\"server\"", output, StringComparison.Ordinal);

                (exitCode, output, error) = await ShellRun.OfAsync("top", "-s", pages, "--once");
                Assert.Equal((ExitCode.Failure, ""), (exitCode, output));
                Assert.StartsWith($"broker: {pages} cannot be read: ", error, StringComparison.Ordinal);
            },
            "-ms", "-1", "--tlscert", certificates.CertificateFile, "--tlskey", certificates.KeyFile);
    }

    [Theory]
    [InlineData("broker")]
    [InlineData("nats-server")]
    public async Task On_a_terminal_of_80_columns_keys_change_the_order_and_the_view(string program)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "tmux is a program of Unix");
        if (program == "broker")
        {
            await ServeAsync(async (url, pages) => await UseTerminalAsync(url, pages, "route "));
        }
        else
        {
            using var server = NatsServer.Start("-m", "-1");
            await UseTerminalAsync(server.Url, server.Http.BaseAddress!.ToString(), "this server has no ZeroMQ bridge");
        }
    }

    [Theory]
    [MemberData(nameof(Examples))]
    public async Task An_example_prints_what_it_says(string line)
    {
        await ServeAsync(async (_, pages) =>
        {
            string[] args = [.. line.Split(' ').Skip(1)];
            int server = Array.IndexOf(args, "-s");
            args = server < 0 ? [.. args, "-s", pages] : [.. args[..(server + 1)], pages, .. args[(server + 2)..]];
            args = args.Contains("--once", StringComparer.Ordinal) ? args : [.. args, "--once"];

            (int exitCode, string output, string error) = await ShellRun.OfAsync(args);

            Assert.Equal((ExitCode.Success, ""), (exitCode, error));
            Assert.NotEmpty(output);
        });
    }

    private static async Task UseTerminalAsync(string url, string pages, string routes)
    {
        await using BrokerConnection client = await ConnectAsync(url);
        await using TrafficOf traffic = await TrafficOf.StartAsync(client);
        string broker = Path.Combine(AppContext.BaseDirectory, "broker");
        await using TmuxSession terminal = await TmuxSession.StartAsync(80, 24, broker, "top", "-s", pages, "--interval", "200ms");

        string[] screen = await terminal.ShownAsync("by messages a second", "worker", "cid client", "pending subs", "q quit");
        Assert.InRange(screen.Max(static line => line.Length), 1, 80);
        Assert.InRange(screen.Length, 2, 25);
        await terminal.PressAsync("p");
        await terminal.ShownAsync("by pending bytes");
        await terminal.PressAsync("s");
        await terminal.ShownAsync("by subscriptions");
        await terminal.PressAsync("b");
        await terminal.ShownAsync("by bytes a second");
        await terminal.PressAsync("r");
        await terminal.ShownAsync(routes);
        await terminal.PressAsync("c");
        await terminal.ShownAsync("worker");
        await terminal.PressAsync("q");
        screen = await terminal.ShownAsync("ended with 0");
        // The former content is back.
        Assert.Equal("before", screen[0]);
        Assert.DoesNotContain(screen, static line => line.Contains("worker", StringComparison.Ordinal));
    }

    private static async Task<JsonElement> JsonAsync(string pages)
    {
        (int exitCode, string output, string error) = await ShellRun.OfAsync("top", "-s", pages, "--once", "--json");
        Assert.Equal((ExitCode.Success, ""), (exitCode, error));
        return JsonDocument.Parse(output).RootElement;
    }

    private static async Task<BrokerConnection> ConnectAsync(string url)
        => await BrokerConnection.ConnectAsync(new ClientOptions { Servers = [url], Name = "worker" }, Ended);

    // Starts the command with pages and a bridge, and passes the address for clients and that of the pages.
    private static Task ServeAsync(Func<string, string, Task> work) => ServeAsync(work, "-m", "-1");

    private static Task ServeAsync(Func<string, string, Task> work, params string[] pages)
        => RealRun.WhileServingAsync(
            addresses => work(addresses.Nats[0], addresses.Monitoring[0] + "/"),
            ["serve", "-q", "-p", "-1", "--zeromq-publishers", "tcp://127.0.0.1:*", "--zeromq-subscribers", "tcp://127.0.0.1:*", .. pages]);

    // Help never waits.
    private static string Help() => CommandRun.Of("top", "--help").GetAwaiter().GetResult().Output;
}
