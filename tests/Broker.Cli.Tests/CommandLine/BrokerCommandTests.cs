namespace Broker.Cli.Tests.CommandLine;

public sealed class BrokerCommandTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("-p", "4333")]
    [InlineData("-p=4333")]
    [InlineData("--p", "4333")]
    [InlineData("-port", "4333")]
    [InlineData("-port=4333")]
    [InlineData("--port", "4333")]
    [InlineData("--port=4333")]
    public async Task A_flag_has_one_dash_or_two(params string[] args)
    {
        CommandRun run = await CommandRun.Of(["serve", .. args]);

        Assert.Equal(ExitCode.Success, run.ExitCode);
        Assert.Equal(4333, run.Host.Started!.Port);
        Assert.True(run.Host.Stopped);
        Assert.True(run.Host.Disposed);
    }

    [Fact]
    public async Task Without_flags_the_defaults_are_served_without_a_bridge()
        => Assert.Equal(new ServeSettings(), (await CommandRun.Of("serve")).Host.Started);

    [Fact]
    public async Task Every_flag_is_taken()
    {
        string log = Path.Combine(_folder.Path, "log");
        string pid = Path.Combine(_folder.Path, "pid");
        CommandRun run = await CommandRun.Of(
            "serve", "-a", "::1", "-p", "-1", "-n", "@name", "-DV", "-l", log, "-P", pid, "--ports_file_dir", _folder.Path, "-q");

        Assert.Equal(
            new ServeSettings
            {
                Host = "::1",
                Port = 0,
                ServerName = "@name",
                Debug = true,
                Trace = true,
                LogFile = log,
                PidFile = pid,
                PortsFileDirectory = _folder.Path,
                Quiet = true,
            },
            run.Host.Started);
    }

    [Theory]
    [InlineData("-ms", "443")]
    [InlineData("--https_port=443")]
    public async Task The_pages_may_be_served_over_HTTPS_but_not_both_ways(params string[] flag)
    {
        (string certificate, string key) = TestCertificates.WriteSelfSigned(_folder.Path);
        string[] secure = ["serve", "--tlscert", certificate, "--tlskey", key, .. flag];
        Assert.Equal(new ListenAddress("127.0.0.1", 443), (await CommandRun.Of(secure)).Host.Started!.Https);
        Assert.Contains("needs a certificate", (await CommandRun.Of(["serve", .. flag])).Error, StringComparison.Ordinal);
        CommandRun both = await CommandRun.Of(["serve", "-m", "80", .. flag]);
        Assert.Equal(ExitCode.Failure, both.ExitCode);
        Assert.Contains("cannot be combined", both.Error, StringComparison.Ordinal);
        Assert.Null(both.Host.Started);
    }

    [Fact]
    public async Task The_bridge_is_switched_on_with_its_defaults()
        => Assert.Equivalent(new ZeroMqSettings(), (await CommandRun.Of("serve", "--zeromq")).Host.Started!.ZeroMq, strict: true);

    [Fact]
    public async Task An_option_of_the_bridge_switches_it_on_and_endpoints_may_be_repeated()
    {
        CommandRun run = await CommandRun.Of(
            "serve", "--zeromq-publishers", "tcp://*:1", "-zeromq-publishers=connect tcp://h:2",
            "--zeromq-subscribers", "bind tcp://127.0.0.1:0", "--zeromq-prefix", "plant");

        ZeroMqSettings bridge = run.Host.Started!.ZeroMq!;
        Assert.Equal(["bind tcp://*:1", "connect tcp://h:2"], bridge.Publishers.Select(ZeroMqEndpointText.Format));
        Assert.Equal(["bind tcp://127.0.0.1:0"], bridge.Subscribers.Select(ZeroMqEndpointText.Format));
        Assert.Equal("plant", bridge.Prefix);
    }

    [Fact]
    public async Task Flags_win_over_the_file_and_the_file_over_the_defaults()
    {
        string file = _folder.Write("b.conf", "port: 1\nhost: h\ndebug: true\nzeromq { prefix: a, max_peers: 3 }");

        ServeSettings settings = (await CommandRun.Of("serve", "-c", file, "-p", "2", "-D=false", "--zeromq-prefix", "b")).Host.Started!;

        Assert.Equal(("h", 2, false), (settings.Host, settings.Port, settings.Debug));
        Assert.Equal(("b", 3), (settings.ZeroMq!.Prefix, settings.ZeroMq.MaxPeers));
    }

    [Theory]
    [InlineData("broker: unknown flag --prot, did you mean --port? (broker serve --help lists them)", "serve", "--prot", "4333")]
    [InlineData("broker: --syslog is not supported: the broker logs to standard error, which a service manager collects, or to a file (--ignore-unsupported starts without it)", "serve", "--syslog")]
    [InlineData("broker: --port must be a whole number from -1 to 65535, not \"abc\" (broker serve --help)", "serve", "-p", "abc")]
    [InlineData("broker: --port must be a whole number from -1 to 65535, not \"70000\" (broker serve --help)", "serve", "-p", "70000")]
    [InlineData("broker: unknown command \"sevre\", did you mean serve? (broker --help lists the commands)", "sevre")]
    [InlineData("broker: unknown command \"publsh\", did you mean publish? (broker --help lists the commands)", "publsh", "a", "b")]
    [InlineData("broker: unknown command \"monitor\" (broker --help lists the commands)", "monitor")]
    [InlineData("broker: unknown command \"monitor\" (broker --help lists the commands)", "monitor", "--msgs", "5")]
    [InlineData("broker: unknown command \"monitor\" (broker --help lists the commands)", "monitor", "--help")]
    [InlineData("broker: unknown command \"monitor\" (broker --help lists the commands)", "help", "monitor")]
    [InlineData("broker: unknown command \"subb\", did you mean sub? (broker zmq --help lists the commands)", "zmq", "subb", "--help")]
    [InlineData("broker: unexpected argument \"x\" (broker serve --help)", "serve", "x")]
    [InlineData("broker: a command is missing, such as broker serve (broker --help lists the commands)")]
    [InlineData("broker: --zeromq-subscribers must be an endpoint such as \"bind tcp://127.0.0.1:5556\" or \"connect tcp://host:5556\", not \"x\" (broker serve --help)", "serve", "--zeromq-subscribers", "x")]
    [InlineData("broker: --zeromq-prefix must be one or more subject tokens such as \"zmq\" or \"plant.zmq\", not \"a b\" (broker serve --help)", "serve", "--zeromq-prefix", "a b")]
    public async Task A_wrong_command_line_is_one_line_on_standard_error(string line, params string[] args)
    {
        CommandRun run = await CommandRun.Of(args);

        Assert.Equal((ExitCode.Usage, "", line + Environment.NewLine), (run.ExitCode, run.Output, run.Error));
        Assert.Null(run.Host.Started);
    }

    [Theory]
    [InlineData("-p", "4222", "-p", "4333")]
    [InlineData("-p", "4222", "--port=4333")]
    [InlineData("-p", "4222", "-p=1", "-port", "4333")]
    [InlineData("-D", "-p", "4333", "-D=true")]
    [InlineData("-D=false", "-D", "-p", "4333")]
    [InlineData("-p=4333", "-DV", "-V=false", "-V", "-D")]
    public async Task The_last_of_a_repeated_flag_counts(params string[] args)
    {
        CommandRun run = await CommandRun.Of(["serve", .. args]);

        Assert.Equal((ExitCode.Success, ""), (run.ExitCode, run.Error));
        Assert.Equal((4333, args.Any(static a => a.StartsWith("-D", StringComparison.Ordinal))), (run.Host.Started!.Port, run.Host.Started.Debug));
    }

    [Theory]
    [InlineData("-a", "0.0.0.0", "--net", "::1", "::1")]
    [InlineData("-a=::1", "-a", "127.0.0.1", "127.0.0.1")]
    public async Task All_names_of_a_flag_are_one_flag(params string[] args)
        => Assert.Equal(args[^1], (await CommandRun.Of(["serve", .. args[..^1]])).Host.Started!.Host);

    [Fact]
    public async Task A_repeated_flag_may_turn_off_what_it_has_turned_on()
        => Assert.False((await CommandRun.Of("serve", "-D", "-D=false")).Host.Started!.Debug);

    [Theory]
    [InlineData("pub")]
    [InlineData("zmq", "sub")]
    [InlineData("serve")]
    public async Task Help_may_be_asked_for_before_the_command(params string[] command)
        => Assert.Equal((await CommandRun.Of([.. command, "--help"])).Output, (await CommandRun.Of(["help", .. command])).Output);

    [Fact]
    public async Task A_flag_without_its_value_is_named()
    {
        CommandRun run = await CommandRun.Of("serve", "--config");

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Contains("'--config'", run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_wrong_configuration_is_one_line_and_the_test_flag_shows_all()
    {
        string file = _folder.Write("b.conf", "\n\nmax_paylod: 1\nport: x");

        CommandRun run = await CommandRun.Of("serve", "-c", file);
        CommandRun test = await CommandRun.Of("serve", "-c", file, "-t");

        Assert.Equal((ExitCode.Failure, ExitCode.Failure), (run.ExitCode, test.ExitCode));
        Assert.Equal(
            $"broker: unknown key \"max_paylod\" at {file}:3:1, did you mean \"max_payload\"? (and 1 more: broker serve -t shows them){Environment.NewLine}",
            run.Error);
        Assert.Equal(2, test.Error.Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries).Length);
        Assert.Null(run.Host.Started);
    }

    [Fact]
    public async Task The_test_flag_says_that_a_configuration_is_valid_and_serves_nothing()
    {
        string file = _folder.Write("b.conf", "port: 1\nport: 2");

        CommandRun run = await CommandRun.Of("serve", "-t", "-c", file);

        Assert.Equal((ExitCode.Success, $"broker: configuration file {file} is valid{Environment.NewLine}"), (run.ExitCode, run.Output));
        Assert.StartsWith("broker: warning: \"port\" is set twice", run.Error, StringComparison.Ordinal);
        Assert.Null(run.Host.Started);
    }

    [Fact]
    public async Task A_missing_configuration_is_a_failure_that_names_it()
    {
        CommandRun run = await CommandRun.Of("serve", "-c", "nowhere.conf");

        Assert.Equal(ExitCode.Failure, run.ExitCode);
        Assert.Equal($"broker: cannot read the configuration file nowhere.conf: there is no such file{Environment.NewLine}", run.Error);
    }

    [Theory]
    [InlineData("--version")]
    [InlineData("-version")]
    [InlineData("-v")]
    public async Task The_version_is_shown(string flag)
        => Assert.Matches(@"^nats-server: v2\.9\.10\r?\nbroker: v\d+\.\d+\.\d+\S*\s*$", (await CommandRun.Of(flag)).Output);

    [Theory]
    [InlineData("--help", "broker serve --zeromq")]
    [InlineData("-h", "broker serve --help")]
    public async Task Help_shows_examples(string flag, string example)
        => Assert.Contains(example, (await CommandRun.Of(flag)).Output, StringComparison.Ordinal);

    [Fact]
    public async Task Help_of_serve_shows_defaults_and_examples()
    {
        CommandRun run = await CommandRun.Of("serve", "-help");

        Assert.Equal(ExitCode.Success, run.ExitCode);
        Assert.Contains("[default: 4222]", run.Output, StringComparison.Ordinal);
        Assert.Contains("broker serve -a 0.0.0.0 -p 4333", run.Output, StringComparison.Ordinal);
    }
}
