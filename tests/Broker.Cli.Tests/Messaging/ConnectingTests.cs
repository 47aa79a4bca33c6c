using System.CommandLine;
using System.Net;
using System.Net.Sockets;
using Broker.Cli.Messaging;
using Broker.Cli.Shell;
using Broker.Cli.Tests.Shell;
using Broker.Client;
using Broker.Cryptography;
using Broker.Server;

namespace Broker.Cli.Tests.Messaging;

/// <summary>Tests which server the messaging commands connect to, when, and with which credentials.</summary>
public sealed class ConnectingTests : IDisposable
{
    private const string Seed = "SUAAOCAJBIFQYDIOB4IBCEQTCQKRMFYYDENBWHA5DYPSAIJCEMSCKJR2OM";

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("pub", "a", "b")]
    [InlineData("publish", "a", "b")]
    [InlineData("sub", "--count", "1", "--timeout", "10ms", "a")]
    [InlineData("reply", "--count", "1", "--timeout", "10ms", "a")]
    public async Task A_command_waits_for_a_server_that_is_not_up_yet(params string[] command)
    {
        int port = FreePort.Next();
        await using var run = ShellRun.Start([.. command, "-s", $"127.0.0.1:{port}", "--wait", "2m"]);
        await run.SaidAsync($"waiting for the server: The server cannot be reached: {new SocketException((int)SocketError.ConnectionRefused).Message} (127.0.0.1:{port})");

        await using BrokerServer server = await BrokerServer.StartAsync(
            options =>
            {
                options.Listen(port);
                options.AuthTimeout = Wait.Limit;
            },
            TestContext.Current.CancellationToken);

        Assert.Contains(await run.EndAsync(), (int[])[ExitCode.Success, ExitCode.NothingCame]);
    }

    [Fact]
    public async Task The_wait_for_a_server_ends()
    {
        (int exitCode, _, string error) = await ShellRun.OfAsync("pub", "-s", $"127.0.0.1:{FreePort.Next()}", "--wait", "500ms", "a", "b");

        Assert.Equal(ExitCode.Failure, exitCode);
        Assert.Equal(2, error.Split('\n', StringSplitOptions.RemoveEmptyEntries).Length);
        Assert.EndsWith(")", error.TrimEnd(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_refusal_of_the_credentials_is_not_waited_out()
    {
        await using BrokerServer server = await StartAsync(static options => options.Users = [new User("ada", "secret")]);

        (int exitCode, _, string error) = await Wait.For(ShellRun.OfAsync("pub", "-s", MessageCommandTests.Url(server), "--wait", "10h", "a", "b"));

        Assert.Equal(ExitCode.Failure, exitCode);
        Assert.Contains("Authorization Violation", error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task After_a_first_address_that_says_nothing_the_second_is_used(bool byVariable)
    {
        using var silent = new TcpListener(IPAddress.Loopback, 0);
        silent.Start();
        string first = $"127.0.0.1:{((IPEndPoint)silent.LocalEndpoint).Port}";
        await using BrokerServer server = await StartAsync();
        string second = MessageCommandTests.Url(server);

        (int exitCode, _, string error) = byVariable
            ? await ShellRun.OfAsync(new Dictionary<string, string> { ["NATS_URL"] = $"{first}, {second}" }, "pub", "a", "b")
            : await ShellRun.OfAsync("pub", "-s", first, "-s", second, "a", "b");

        Assert.Equal((ExitCode.Success, ""), (exitCode, error));
    }

    [Theory]
    [InlineData(10, "a")]
    [InlineData(2, "a", "b")]
    [InlineData(2, "a", "b", "c")]
    public void Each_of_several_addresses_has_two_seconds_and_a_single_one_has_ten(double each, params string[] addresses)
    {
        var connection = new ConnectionFlags(static _ => null);
        var command = new Command("x");
        connection.AddTo(command);
        ParseResult flags = command.Parse([.. addresses.SelectMany(static address => new[] { "-s", address })]);

        Assert.Equal(TimeSpan.FromSeconds(each), connection.Read(flags).ConnectTimeout);
    }

    [Theory]
    [InlineData("5s", 3, 2)]
    [InlineData("5s", 4.5, 1)]
    [InlineData("5s", 20, 1)]
    [InlineData("1m", 3, 10)]
    [InlineData(null, 3, 10)]
    public void The_start_of_the_process_is_a_part_of_its_time(string? timeout, double age, double left)
    {
        var connection = new ConnectionFlags(static _ => null);
        Option<TimeSpan?> time = CommonOptions.Time("--timeout", "");
        var command = new Command("x") { time };
        connection.AddTo(command);
        ParseResult flags = command.Parse(timeout is null ? [] : ["--timeout", timeout]);

        ClientOptions options = connection.Read(flags, flags.GetValue(time), () => TimeSpan.FromSeconds(age));

        Assert.Equal(TimeSpan.FromSeconds(left), options.ConnectTimeout);
        Assert.Equal(options.ConnectTimeout, options.WriteDeadline);
        Assert.Equal(options.ConnectTimeout, options.DrainTimeout);
    }

    [Theory]
    [InlineData("NATS_USER=ada,NATS_PASSWORD=secret")]
    [InlineData("NATS_CREDS=SEED")]
    [InlineData("NATS_NKEY=SEED")]
    [InlineData("NATS_CREDS=SEED,NATS_NKEY=/nowhere")]
    [InlineData("NATS_USER=eve,NATS_PASSWORD=x", "--user", "ada", "--pass", "secret")]
    [InlineData("NATS_CREDS=/nowhere", "--user", "ada", "--pass", "secret")]
    [InlineData("NATS_USER=eve,NATS_PASSWORD=x", "--creds", "SEED")]
    [InlineData("NATS_CREDS=,NATS_USER=ada,NATS_PASSWORD=secret")]
    public async Task Credentials_of_the_environment_count_if_no_flag_gives_some(string variables, params string[] flags)
    {
        string seed = _folder.Write("seed", Seed + "\n");
        string key = UserCredentialsOf(seed);
        await using BrokerServer server = await StartAsync(options =>
        {
            options.Users = [new User("ada", "secret"), User.WithKey(key)];
            options.SignatureVerifier = new Ed25519Verifier();
        });
        var environment = variables.Replace("SEED", seed, StringComparison.Ordinal).Split(',')
            .Select(static pair => pair.Split('=')).ToDictionary(static pair => pair[0], static pair => pair[1], StringComparer.Ordinal);
        environment["NATS_URL"] = MessageCommandTests.Url(server);
        string[] given = [.. flags.Select(flag => flag.Replace("SEED", seed, StringComparison.Ordinal))];

        foreach (string[] command in (string[][])[["pub", "a", "b"], ["sub", "--timeout", "10ms", "a"], ["reply", "--timeout", "10ms", "a"]])
        {
            (int exitCode, _, string error) = await ShellRun.OfAsync(environment, [.. command, .. given]);

            Assert.True(exitCode == ExitCode.Success, error);
        }

        Assert.Equal(ExitCode.NothingCame, (await ShellRun.OfAsync(environment, ["req", "nobody", .. given])).ExitCode);
    }

    [Fact]
    public async Task A_user_of_the_environment_without_a_password_is_a_token()
    {
        await using BrokerServer server = await StartAsync(static options => options.Token = "secret");
        var environment = new Dictionary<string, string> { ["NATS_URL"] = MessageCommandTests.Url(server), ["NATS_USER"] = "secret" };

        Assert.Equal(ExitCode.Success, (await ShellRun.OfAsync(environment, "pub", "a", "b")).ExitCode);
    }

    [Fact]
    public async Task An_address_with_a_user_takes_no_credentials_of_the_environment()
    {
        await using BrokerServer server = await StartAsync(static options => options.Users = [new User("ada", "secret")]);
        string url = MessageCommandTests.Url(server).Replace("://", "://ada:secret@", StringComparison.Ordinal);
        var environment = new Dictionary<string, string> { ["NATS_CREDS"] = "/nowhere" };

        Assert.Equal(ExitCode.Success, (await ShellRun.OfAsync(environment, "pub", "-s", url, "a", "b")).ExitCode);
    }

    [Fact]
    public async Task A_file_of_the_environment_that_cannot_be_read_is_named()
    {
        string nowhere = Path.Combine(_folder.Path, "nowhere");
        var environment = new Dictionary<string, string> { ["NATS_NKEY"] = nowhere };

        Assert.Equal(
            (ExitCode.Usage, "", $"broker: NATS_NKEY: Could not find file '{nowhere}'.{Environment.NewLine}"),
            await ShellRun.OfAsync(environment, "pub", "a", "b"));
    }

    [Theory]
    [InlineData("NATS_CA=CERT", true)]
    [InlineData("NATS_CA=/nowhere", false)]
    [InlineData("NATS_CA=/nowhere", true, "--tlscacert", "CERT")]
    [InlineData("", false)]
    public async Task Authorities_of_the_environment_count_if_no_flag_gives_some(string variable, bool isTrusted, params string[] flags)
    {
        (string certificate, string key) = TestCertificates.WriteSelfSigned(_folder.Path);
        await using BrokerServer server = await StartAsync(
            options => options.Tls = new ServerTlsOptions { CertificateFile = certificate, KeyFile = key, Timeout = Wait.Limit });
        var environment = new Dictionary<string, string>
        {
            ["NATS_URL"] = MessageCommandTests.Url(server).Replace("127.0.0.1", "localhost", StringComparison.Ordinal),
        };
        if (variable.Length > 0)
        {
            environment[variable.Split('=')[0]] = variable.Split('=')[1].Replace("CERT", certificate, StringComparison.Ordinal);
        }

        (int exitCode, _, string error) = await ShellRun.OfAsync(
            environment, ["pub", "a", "b", .. flags.Select(flag => flag.Replace("CERT", certificate, StringComparison.Ordinal))]);

        Assert.True(isTrusted == (exitCode == ExitCode.Success), error);
    }

    [Fact]
    public async Task Several_subjects_are_shown_until_the_count_of_all_is_reached()
    {
        await using BrokerServer server = await MessageCommandTests.StartAsync();
        await using var sub = ShellRun.Start("subscribe", "-s", MessageCommandTests.Url(server), "--count", "4", "a", "b.*", "c");
        await sub.SaidAsync("subscribed to a, b.*, c (Ctrl+C ends)");

        foreach (string subject in (string[])["a", "b.x", "d", "c", "b.y"])
        {
            await ShellRun.OfAsync("publish", "-s", MessageCommandTests.Url(server), subject, "1");
            string shown = $"{subject} 1\n";
            await Wait.UntilAsync(() => subject == "d" || sub.Output.Contains(shown, StringComparison.Ordinal), () => sub.Output);
        }

        Assert.Equal(ExitCode.Success, await sub.EndAsync());
        Assert.Equal("a 1\nb.x 1\nc 1\nb.y 1\n", sub.Output);
    }

    [Fact]
    public async Task Several_subjects_may_have_a_time_and_a_refused_one_ends_all()
    {
        await using BrokerServer server = await StartAsync(static options =>
        {
            var open = new SubjectPermissions { Allow = ["open.>"] };
            options.Users = [new User("ada", "secret", new Permissions { Publish = open, Subscribe = open })];
        });
        string[] ada = ["sub", "-s", MessageCommandTests.Url(server), "--user", "ada", "--pass", "secret"];

        Assert.Equal(ExitCode.Success, (await ShellRun.OfAsync([.. ada, "--timeout", "10ms", "open.a", "open.b"])).ExitCode);
        Assert.Equal(ExitCode.NothingCame, (await ShellRun.OfAsync([.. ada, "--timeout", "10ms", "--count", "1", "open.a", "open.b"])).ExitCode);
        Assert.Equal(ExitCode.Failure, (await ShellRun.OfAsync([.. ada, "open.a", "closed"])).ExitCode);
    }

    [Fact]
    public async Task A_request_has_its_long_name_too()
    {
        await using BrokerServer server = await MessageCommandTests.StartAsync();
        await using BrokerConnection service = await MessageCommandTests.ConnectAsync(server);
        service.Subscribe("ping", static (in m) => m.Respond("pong"u8));
        await service.FlushAsync(TestContext.Current.CancellationToken);

        Assert.Equal((ExitCode.Success, "pong\n", ""), await ShellRun.OfAsync("request", "-s", MessageCommandTests.Url(server), "--timeout", "2m", "ping"));
    }

    private static string UserCredentialsOf(string file) => UserCredentials.Load(file).PublicKey;

    private static Task<BrokerServer> StartAsync(Action<BrokerServerOptions>? configure = null) => BrokerServer.StartAsync(
        options =>
        {
            options.Listen(0);
            options.AuthTimeout = Wait.Limit;
            configure?.Invoke(options);
        },
        TestContext.Current.CancellationToken);
}
