using System.Net;
using System.Net.Sockets;
using System.Text.Json;
using Broker.Cli.Tests.Shell;
using Broker.Client;
using Broker.Server;

namespace Broker.Cli.Tests.Messaging;

/// <summary>Tests <c>broker pub</c>, <c>sub</c>, <c>req</c> and <c>reply</c> with a server.</summary>
public sealed class MessageCommandTests
{
    [Fact]
    public async Task What_is_published_is_shown_by_who_has_subscribed_line_by_line()
    {
        await using BrokerServer server = await StartAsync();
        await using var sub = ShellRun.Start("sub", "-s", Url(server), "--count", "3", "weather.*");
        await sub.SubscribedAsync();

        (int ExitCode, string Output, string Error) pub = await ShellRun.OfAsync("pub", "-s", Url(server), "weather.oslo", "4 degrees");
        Assert.Equal((ExitCode.Success, "published 1 message, 9 bytes, to weather.oslo\n", ""), pub);
        Assert.Equal(ExitCode.Success, (await ShellRun.OfAsync("pub", "-s", Url(server), "-H", "Trace: 1", "--header", "B:2", "weather.rome", "\u001b[31m")).ExitCode);
        Assert.Equal(ExitCode.Success, (await ShellRun.OfAsync("pub", "-s", Url(server), "--hex", "weather.bonn", "00ff0a")).ExitCode);

        Assert.Equal(ExitCode.Success, await sub.EndAsync());
        Assert.Equal("weather.oslo 4 degrees\nweather.rome {Trace: 1, B: 2} \\x1b[31m\nweather.bonn \\x00\\xff\\n\n", sub.Output);
    }

    [Fact]
    public async Task As_JSON_a_message_has_all_its_parts()
    {
        await using BrokerServer server = await StartAsync();
        await using var sub = ShellRun.Start("sub", "-s", Url(server), "--json", "--count", "2", ">");
        await sub.SubscribedAsync();

        await ShellRun.OfAsync("pub", "-s", Url(server), "-H", "A: 1", "-H", "A: 2", "--reply-to", "back", "a.b", "say \"ä\"");
        (int ExitCode, string Output, string Error) told = await ShellRun.OfAsync("pub", "-s", Url(server), "--hex", "--json", "a.b", "ff");

        await sub.EndAsync();
        string[] lines = sub.Output.TrimEnd().Split('\n');
        Assert.Equal("""{"subject":"a.b","reply_to":"back","headers":{"A":["1","2"]},"body":"say \"ä\""}""", lines[0]);
        Assert.Equal("""{"subject":"a.b","body_base64":"/w=="}""", lines[1]);
        Assert.Matches("^{\"subject\":\"a.b\",\"messages\":1,\"bytes\":1,\"seconds\":[0-9.eE-]+}\n$", told.Output);
        Assert.All(lines, line => JsonDocument.Parse(line).Dispose());
    }

    [Theory]
    [InlineData("--raw", "\0\n\n")]
    [InlineData("--hex", "a 000a\n")]
    public async Task Bodies_are_shown_as_they_are_or_in_digits(string form, string shown)
    {
        await using BrokerServer server = await StartAsync();
        await using var sub = ShellRun.Start("sub", "-s", Url(server), form, "--count", "1", "a");
        await sub.SubscribedAsync();

        await ShellRun.OfAsync("pub", "-s", Url(server), "--hex", "a", "000A");

        await sub.EndAsync();
        Assert.Equal(shown, sub.Output);
    }

    [Theory]
    [InlineData(false, "pub", "a", "b")]
    [InlineData(false, "sub", "a")]
    [InlineData(false, "req", "a")]
    [InlineData(false, "reply", "a")]
    [InlineData(true, "pub", "a", "b")]
    [InlineData(true, "sub", "a")]
    [InlineData(true, "reply", "a")]
    public async Task A_server_that_says_nothing_ends_a_command_in_its_time_with_one_line(bool answersHandshake, params string[] command)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        Task<TcpClient> accepting = AcceptAsync(listener, answersHandshake);
        string url = $"nats://127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}";

        (int exitCode, string output, string error) = await ShellRun.OfAsync([.. command, "-s", url, "--timeout", "2s"]);

        (await accepting).Dispose();
        Assert.Equal((ExitCode.Failure, ""), (exitCode, output));
        Assert.Matches("^broker: The server (did|does) not answer [^\n]*\n$", error);
    }

    // The first number of messages fits into the connection's queue, the second does not.
    [Theory]
    [InlineData("20000")]
    [InlineData("200000")]
    public async Task A_publish_to_a_server_that_stops_reading_ends_with_one_line(string count)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        Task<TcpClient> accepting = AcceptAsync(listener, answersHandshake: true);
        string url = $"nats://127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}";

        (int exitCode, string output, string error) = await Wait.For(ShellRun.OfAsync(
            "pub", "-s", url, "--timeout", "1s", "--count", count, "a", new string('x', 1024)));

        (await accepting).Dispose();
        Assert.Equal((ExitCode.Failure, ""), (exitCode, output));
        Assert.Matches("^broker: [^\n]*\n$", error);
    }

    private static async Task<TcpClient> AcceptAsync(TcpListener listener, bool answersHandshake)
    {
        TcpClient client = await listener.AcceptTcpClientAsync(TestContext.Current.CancellationToken);
        if (!answersHandshake)
        {
            return client;
        }

        NetworkStream stream = client.GetStream();
        await stream.WriteAsync("INFO {\"server_id\":\"x\",\"version\":\"2.9.10\",\"proto\":1,\"headers\":true,\"max_payload\":1048576}\r\n"u8.ToArray());
        using var reader = new StreamReader(stream, leaveOpen: true);
        while (await reader.ReadLineAsync() != "PING")
        {
        }

        await stream.WriteAsync("PONG\r\n"u8.ToArray());
        return client;
    }

    [Fact]
    public async Task Subjects_are_in_colours_where_somebody_sees_them()
    {
        await using BrokerServer server = await StartAsync();
        await using var sub = ShellRun.StartInColours("sub", "-s", Url(server), "--count", "1", "a");
        await sub.SubscribedAsync();

        await ShellRun.OfAsync("pub", "-s", Url(server), "a", "b");

        await sub.EndAsync();
        Assert.Equal("\e[36ma\e[0m b\n", sub.Output);
    }

    [Fact]
    public async Task A_body_comes_by_standard_input_whole_or_line_by_line_or_many_times()
    {
        await using BrokerServer server = await StartAsync();
        await using var sub = ShellRun.Start("sub", "-s", Url(server), "--count", "6", ">");
        await sub.SubscribedAsync();

        foreach (string[] args in (string[][])[["a"], ["--lines", "b"]])
        {
            await using var pub = ShellRun.StartWith("x\ny"u8.ToArray(), ["pub", "-s", Url(server), .. args]);
            Assert.Equal(ExitCode.Success, await pub.EndAsync());
        }

        (int ExitCode, string Output, string Error) told = await ShellRun.OfAsync("pub", "-s", Url(server), "--count", "3", "c", "number {number}{body}");
        Assert.Matches("^published 3 messages, 42 bytes, to c in [0-9]+[.][0-9]{3} s \\([0-9,]+ messages/s\\)\n$", told.Output);
        Assert.Equal(ExitCode.Success, await sub.EndAsync());
        Assert.Equal("a x\\ny\nb x\nb y\nc number 1{body}\nc number 2{body}\nc number 3{body}\n", sub.Output);
    }

    [Fact]
    public async Task At_a_terminal_a_publish_shows_how_far_it_is_and_takes_that_away_at_its_end()
    {
        await using BrokerServer server = await StartAsync();
        await using var pub = ShellRun.StartAtTerminal("pub", "-s", Url(server), "--count", "1000000000000000", "a", "x");

        await pub.SaidAsync("of 1,000,000,000,000,000 messages (0 %), ");
        await pub.SaidAsync(" messages/s");

        Assert.Equal(ExitCode.Interrupted, await pub.StopAsync());
        Assert.StartsWith("\r\e[Kpublished ", pub.Error, StringComparison.Ordinal);
        Assert.EndsWith("\r\e[K", pub.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Members_of_a_queue_group_share_messages()
    {
        const int Messages = 200;
        await using BrokerServer server = await StartAsync();
        await using var one = ShellRun.Start("sub", "-s", Url(server), "--queue", "q", "a");
        await using var two = ShellRun.Start("sub", "-s", Url(server), "-q", "q", "a");
        await one.SubscribedAsync();
        await two.SubscribedAsync();

        await ShellRun.OfAsync("pub", "-s", Url(server), "--count", $"{Messages}", "a", "{number}");

        await Wait.UntilAsync(() => Lines(one).Concat(Lines(two)).Count() == Messages, "all of them");
        Assert.Equal(
            Enumerable.Range(1, Messages).Select(n => $"a {n}").Order(StringComparer.Ordinal), Lines(one).Concat(Lines(two)).Order(StringComparer.Ordinal));
        Assert.Equal((ExitCode.Success, ExitCode.Success), (await one.StopAsync(), await two.StopAsync()));
    }

    [Fact]
    public async Task The_end_of_a_subscription_says_whether_all_came_that_was_waited_for()
    {
        await using BrokerServer server = await StartAsync();

        Assert.Equal(ExitCode.NothingCame, (await ShellRun.OfAsync("sub", "-s", Url(server), "--count", "1", "--timeout", "10ms", "a")).ExitCode);
        Assert.Equal(ExitCode.Success, (await ShellRun.OfAsync("sub", "-s", Url(server), "--timeout", "10ms", "a")).ExitCode);
        await using var counting = ShellRun.Start("sub", "-s", Url(server), "--count", "1", "a");
        await counting.SubscribedAsync();
        Assert.Equal(ExitCode.Interrupted, await counting.StopAsync());
    }

    [Theory]
    [InlineData("echo", null, "what", "what")]
    [InlineData("greet.*", "{subject} {number} {body}", "what", "greet.you 1 what")]
    public async Task A_question_is_answered(string filter, string? template, string question, string answer)
    {
        await using BrokerServer server = await StartAsync();
        await using var reply = ShellRun.Start(["reply", "-s", Url(server), "--count", "1", "-H", "By: me", filter, .. template is null ? (string[])[] : [template]]);
        await reply.SubscribedAsync();
        string subject = filter.Replace("*", "you", StringComparison.Ordinal);

        (int ExitCode, string Output, string Error) asked = await ShellRun.OfAsync("req", "-s", Url(server), "--timeout", "2m", subject, question);

        Assert.Equal((ExitCode.Success, $"{{By: me}} {answer}\n", ""), asked);
        Assert.Equal((ExitCode.Success, $"{subject} {question}\n"), (await reply.EndAsync(), reply.Output));
    }

    [Fact]
    public async Task A_question_may_have_many_answers()
    {
        await using BrokerServer server = await StartAsync();
        await using BrokerConnection service = await ConnectAsync(server);
        service.Subscribe("ping", static (in m) =>
        {
            m.Respond("one"u8);
            m.Respond("two"u8);
            m.Respond("three"u8);
        });
        await service.FlushAsync(TestContext.Current.CancellationToken);

        (int ExitCode, string Output, string Error) two = await ShellRun.OfAsync("req", "-s", Url(server), "--count", "2", "--timeout", "2m", "--raw", "ping");
        Assert.Equal((ExitCode.Success, "one\ntwo\n"), (two.ExitCode, two.Output));
        (int ExitCode, string Output, string Error) four = await ShellRun.OfAsync("req", "-s", Url(server), "--count", "4", "--timeout", "2s", "--raw", "ping");
        Assert.Equal(ExitCode.NothingCame, four.ExitCode);
        Assert.StartsWith("broker: ", four.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_question_that_nobody_answers_is_told_from_one_that_nobody_hears()
    {
        await using BrokerServer server = await StartAsync();
        await using var sub = ShellRun.Start("sub", "-s", Url(server), "heard");
        await sub.SubscribedAsync();

        (int ExitCode, string Output, string Error) unheard = await ShellRun.OfAsync("req", "-s", Url(server), "--timeout", "2m", "unheard");
        (int ExitCode, string Output, string Error) unanswered = await ShellRun.OfAsync("req", "-s", Url(server), "--timeout", "50ms", "heard");

        Assert.Equal((ExitCode.NothingCame, "", "broker: Nobody subscribes to 'unheard'." + Environment.NewLine), unheard);
        Assert.Equal((ExitCode.NothingCame, "", "broker: no reply in time" + Environment.NewLine), unanswered);
    }

    [Fact]
    public async Task Who_may_not_is_told_so_and_the_exit_code_says_it()
    {
        await using BrokerServer server = await BrokerServer.StartAsync(
            options =>
            {
                options.Listen(0);
                options.AuthTimeout = Wait.Limit;
                var open = new SubjectPermissions { Allow = ["open"] };
                options.Users = [new User("ada", "secret", new Permissions { Publish = open, Subscribe = open })];
            },
            TestContext.Current.CancellationToken);
        string[] ada = ["-s", Url(server), "--user", "ada", "--pass", "secret"];

        Assert.Equal(ExitCode.Success, (await ShellRun.OfAsync(["pub", .. ada, "open", "x"])).ExitCode);
        Assert.Equal(ExitCode.Failure, (await ShellRun.OfAsync("pub", "-s", Url(server), "open", "x")).ExitCode);
        foreach (string[] args in (string[][])[["pub", .. ada, "closed", "x"], ["sub", .. ada, "closed"], ["reply", .. ada, "closed"]])
        {
            (int ExitCode, string Output, string Error) run = await ShellRun.OfAsync(args);
            Assert.Equal((ExitCode.Failure, ""), (run.ExitCode, run.Output));
            Assert.Contains("Permissions Violation", run.Error, StringComparison.Ordinal);
            Assert.DoesNotContain("secret", run.Error, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Without_a_server_it_says_so_and_fails()
    {
        int port = FreePort.Next();
        (int ExitCode, string Output, string Error) run = await ShellRun.OfAsync("pub", "-s", $"nats://ada:secret@127.0.0.1:{port}", "a", "b");

        Assert.Equal((ExitCode.Failure, ""), (run.ExitCode, run.Output));
        Assert.Contains($"127.0.0.1:{port}", run.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", run.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("broker: unknown flag --quueue, did you mean --queue? (broker sub --help lists them)", "sub", "--quueue", "a", "b")]
    [InlineData("broker: --count must be a whole number above 0, not \"0\" (broker sub --help)", "sub", "--count", "0", "a")]
    [InlineData("broker: --timeout must be a time such as 5s, 250ms or 1m30s, not \"soon\" (broker req --help)", "req", "--timeout", "soon", "a")]
    [InlineData("broker: --header must be a name, a colon and a value such as \"Trace: 1\", not \"x\" (broker pub --help)", "pub", "-H", "x", "a", "b")]
    [InlineData("broker: Required argument missing for command: 'sub'. (broker sub --help)", "sub")]
    [InlineData("broker: --user and --pass must be given together", "pub", "--user", "ada", "a", "b")]
    [InlineData("broker: --creds: Could not find file '/nowhere'.", "pub", "--creds", "/nowhere", "a", "b")]
    public async Task A_wrong_command_line_is_one_line(string line, params string[] args)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows() && line.Contains("/nowhere", StringComparison.Ordinal), "a path of Unix");
        Assert.Equal((ExitCode.Usage, "", line + Environment.NewLine), await ShellRun.OfAsync(args));
    }

    [Theory]
    [InlineData("the body is missing: give it after the subject", "pub", "a")]
    [InlineData("--raw", "sub", "--json", "--raw", "a")]
    [InlineData("--lines reads the bodies from standard input", "pub", "--lines", "a", "b")]
    [InlineData("with --hex, bytes must be pairs of hexadecimal digits", "pub", "--hex", "a", "xyz")]
    [InlineData("subject", "pub", "a b", "x")]
    [InlineData("wildcard", "pub", "a.*", "x")]
    public async Task What_makes_no_sense_is_refused(string said, params string[] args)
    {
        await using BrokerServer server = await StartAsync();
        (int ExitCode, string Output, string Error) run = await ShellRun.OfAsync([args[0], "-s", Url(server), .. args[1..]]);

        Assert.Equal((ExitCode.Usage, ""), (run.ExitCode, run.Output));
        Assert.Contains(said, run.Error, StringComparison.OrdinalIgnoreCase);
        Assert.DoesNotContain("Parameter", run.Error, StringComparison.Ordinal);
    }

    internal static Task<BrokerServer> StartAsync() => BrokerServer.StartAsync(
        static options =>
        {
            options.Listen(0);
            options.AuthTimeout = Wait.Limit;
        },
        TestContext.Current.CancellationToken);

    internal static Task<BrokerConnection> ConnectAsync(BrokerServer server) => BrokerConnection.ConnectAsync(
        new ClientOptions { Servers = [Url(server)], ConnectTimeout = Wait.Limit }, TestContext.Current.CancellationToken);

    internal static string Url(BrokerServer server) => $"nats://127.0.0.1:{((IPEndPoint)server.EndPoints[0]).Port}";

    // Returns the complete lines. The output may end inside a line.
    private static string[] Lines(ShellRun run)
    {
        string output = run.Output;
        return output[..(output.LastIndexOf('\n') + 1)].Split('\n', StringSplitOptions.RemoveEmptyEntries);
    }
}
