using Broker.Cli.Tests.Shell;
using Broker.Cryptography;
using Broker.ZeroMq;

namespace Broker.Cli.Tests.Sockets;

/// <summary>Tests <c>broker zmq</c>: commands with each other, and commands with sockets of the test.</summary>
public sealed class SocketCommandTests
{
    private const string Anywhere = "tcp://127.0.0.1:*";

    [Fact]
    public async Task A_publisher_waits_for_a_subscriber_of_its_topic_and_loses_nothing()
    {
        const int Messages = 500;
        await using var sub = ShellRun.Start("zmq", "sub", "--bind", Anywhere, "--count", $"{Messages}", "weather");
        string endpoint = await sub.BoundAsync();

        (int ExitCode, string Output, string Error) pub = await ShellRun.OfAsync("zmq", "pub", "--timeout", "2m", "--connect", endpoint, "--count", $"{Messages}", "weather.oslo", "{number} degrees");

        Assert.Equal((ExitCode.Success, "", ""), pub);
        Assert.Equal(ExitCode.Success, await sub.EndAsync());
        Assert.Equal(Enumerable.Range(1, Messages).Select(n => $"weather.oslo | {n} degrees"), sub.Output.TrimEnd().Split('\n'));
    }

    [Fact]
    public async Task A_publisher_without_a_subscriber_of_its_topic_says_so()
    {
        await using var sub = ShellRun.Start("zmq", "sub", "--bind", Anywhere, "other");
        string endpoint = await sub.BoundAsync();

        (int ExitCode, string Output, string Error) pub = await ShellRun.OfAsync("zmq", "pub", "--timeout", "100ms", "--connect", endpoint, "weather.oslo", "4 degrees");

        Assert.Equal((ExitCode.NothingCame, "", "broker: nobody subscribed to the topic in time" + Environment.NewLine), pub);
        Assert.Equal((ExitCode.Success, ""), (await sub.StopAsync(), sub.Output));
    }

    [Theory]
    [InlineData("", "a | \\x00 | \n")]
    [InlineData("--hex", "61 | 00 | \n")]
    [InlineData("--raw", "a\0\n")]
    [InlineData("--json", "{\"frames\":[\"a\",\"\\u0000\",\"\"]}\n")]
    public async Task Frames_are_given_and_shown_in_several_ways(string form, string shown)
    {
        await using var pull = ShellRun.Start(["zmq", "pull", "--bind", Anywhere, "--count", "1", .. form.Length == 0 ? (string[])[] : [form]]);

        (int ExitCode, string Output, string Error) push = await ShellRun.OfAsync("zmq", "push", "--timeout", "2m", "--connect", await pull.BoundAsync(), "--hex", "61", "00", "");

        Assert.Equal((ExitCode.Success, "", ""), push);
        Assert.Equal((ExitCode.Success, shown), (await pull.EndAsync(), pull.Output));
    }

    [Fact]
    public async Task Frames_that_are_no_text_are_base_64_in_JSON()
    {
        await using var pull = ShellRun.Start("zmq", "pull", "--bind", Anywhere, "--count", "1", "--json");

        await ShellRun.OfAsync("zmq", "push", "--timeout", "2m", "--connect", await pull.BoundAsync(), "--hex", "61", "ff");

        await pull.EndAsync();
        Assert.Equal("{\"frames_base64\":[\"YQ==\",\"/w==\"]}\n", pull.Output);
    }

    [Fact]
    public async Task What_nobody_takes_is_counted_and_the_exit_code_says_so()
    {
        (int ExitCode, string Output, string Error) push = await ShellRun.OfAsync("zmq", "push", "--timeout", "50ms", "--bind", Anywhere, "--count", "3", "x");

        Assert.Equal(ExitCode.Undelivered, push.ExitCode);
        Assert.EndsWith("broker: 3 messages were not delivered" + Environment.NewLine, push.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("a | b", "number | b | 1")]
    public async Task A_question_is_answered_with_itself_or_with_a_template(string asked, string answered)
    {
        foreach (bool isTemplate in (bool[])[false, true])
        {
            await using var rep = ShellRun.Start(
                ["zmq", "rep", "--bind", Anywhere, "--count", "1", .. isTemplate ? (string[])["number", "{body}", "{number}"] : []]);

            (int ExitCode, string Output, string Error) req = await ShellRun.OfAsync("zmq", "req", "--timeout", "2m", "--connect", await rep.BoundAsync(), "a", "b");

            Assert.Equal((ExitCode.Success, (isTemplate ? answered : asked) + "\n", ""), req);
            Assert.Equal((ExitCode.Success, asked + "\n"), (await rep.EndAsync(), rep.Output));
        }
    }

    [Fact]
    public async Task A_question_without_an_answer_ends_in_time()
    {
        (int ExitCode, string Output, string Error) req = await ShellRun.OfAsync("zmq", "req", "--timeout", "50ms", "--bind", Anywhere, "x");

        Assert.Equal((ExitCode.NothingCame, ""), (req.ExitCode, req.Output));
        Assert.EndsWith("broker: no reply in time" + Environment.NewLine, req.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task It_shows_who_it_is_by_PLAIN_and_by_CURVE()
    {
        var keys = CurveKeyPair.Generate(new CurveCryptography());
        using var folder = new TemporaryFolder();
        var own = CurveKeyPair.Generate(new CurveCryptography());
        string keyFile = folder.Write("secret", own.ExportSecretKey() + "\n");
        var seen = new List<string>();
        foreach ((ZeroMqSecurity security, string[] flags) in ((ZeroMqSecurity, string[])[])
            [(ZeroMqSecurity.PlainServer, ["--plain-user", "ada", "--plain-password", "secret"]),
            (ZeroMqSecurity.CurveServer(keys), ["--curve-server-key", keys.PublicKey.ToString(), "--curve-secret-key-file", keyFile])])
        {
            await using var pull = new PullSocket(new ZeroMqSocketOptions
            {
                Security = security,
                Authenticate = credentials =>
                {
                    seen.Add(credentials.Username is { Length: > 0 } user ? user : credentials.PublicKey!.ToString());
                    return new(ZeroMqAdmission.Admit());
                },
            });

            Assert.Equal(
                ExitCode.Success, (await ShellRun.OfAsync(["zmq", "push", "--timeout", "2m", .. flags, "--connect", pull.Bind(Anywhere), "x"])).ExitCode);
            Assert.Equal("x", await pull.ReceiveStringAsync(TestContext.Current.CancellationToken));
        }

        Assert.Equal(["ada", own.PublicKey.ToString()], seen.Distinct(StringComparer.Ordinal));
    }

    [Fact]
    public async Task A_bound_socket_with_a_secret_key_is_a_server_of_CURVE()
    {
        var keys = CurveKeyPair.Generate(new CurveCryptography());
        using var folder = new TemporaryFolder();
        string keyFile = folder.Write("secret", keys.ExportSecretKey() + "\n");
        string endpoint = FreePort.NextAddress();
        Task<(int ExitCode, string Output, string Error)> pulling = ShellRun.OfAsync(
            "zmq", "pull", "--bind", endpoint, "--curve-secret-key-file", keyFile, "--count", "1", "--timeout", "2m");

        Assert.Equal(
            ExitCode.Success,
            (await ShellRun.OfAsync("zmq", "push", "--timeout", "2m", "--connect", endpoint, "--curve-server-key", keys.PublicKey.ToString(), "x")).ExitCode);

        (int exitCode, string output, string error) = await pulling;
        Assert.Equal((ExitCode.Success, "x" + Environment.NewLine), (exitCode, output));
        Assert.Contains($"CURVE server: clients need --curve-server-key '{keys.PublicKey}'", error, StringComparison.Ordinal);
        (int wrong, _, string why) = await ShellRun.OfAsync("zmq", "pull", "--connect", endpoint, "--curve-secret-key-file", keyFile);
        Assert.Equal((ExitCode.Usage, "broker: --curve-secret-key-file needs --curve-server-key, or --bind for a server" + Environment.NewLine), (wrong, why));
    }

    [Theory]
    [InlineData("broker: a socket type is missing, such as broker zmq sub (broker zmq --help lists the types)", "zmq")]
    [InlineData("broker: an endpoint is missing: use --connect or --bind, such as --connect tcp://127.0.0.1:5556", "zmq", "sub")]
    [InlineData("broker: unknown flag --conect, did you mean --connect? (broker zmq pub --help lists them)", "zmq", "pub", "--conect", "tcp://h:1", "x")]
    [InlineData("broker: Required argument missing for command: 'push'. (broker zmq push --help)", "zmq", "push", "--bind", Anywhere)]
    [InlineData("broker: --plain-user and --plain-password must be given together", "zmq", "sub", "--plain-user", "ada", "--bind", Anywhere)]
    [InlineData("broker: --curve-server-key must be a key of 40 characters in Z85", "zmq", "sub", "--curve-server-key", "x", "--bind", Anywhere)]
    public async Task A_wrong_command_line_is_one_line(string line, params string[] args)
        => Assert.Equal((ExitCode.Usage, "", line + Environment.NewLine), await ShellRun.OfAsync(args));

    [Fact]
    public async Task An_endpoint_that_is_none_or_is_taken_is_said()
    {
        (int ExitCode, string Output, string Error) none = await ShellRun.OfAsync("zmq", "sub", "--connect", "127.0.0.1:5556");
        Assert.Equal(ExitCode.Usage, none.ExitCode);
        Assert.StartsWith("broker: --connect must be an endpoint such as tcp://127.0.0.1:5556, not \"127.0.0.1:5556\"", none.Error, StringComparison.Ordinal);

        await using var holder = new PullSocket();
        (int ExitCode, string Output, string Error) taken = await ShellRun.OfAsync("zmq", "pull", "--bind", holder.Bind(Anywhere));
        Assert.Equal(ExitCode.Failure, taken.ExitCode);
        Assert.StartsWith("broker: ", taken.Error, StringComparison.Ordinal);
    }
}
