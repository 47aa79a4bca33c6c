namespace Broker.Cli.Tests.CommandLine;

/// <summary>Tests that each flag in scripts for nats-server works or is refused with a reason.</summary>
public sealed class NatsServerFlagTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("-routes", "nats://a:1")]
    [InlineData("-cluster=x")]
    [InlineData("--cluster", "nats://0.0.0.0:6222")]
    [InlineData("--cluster_name", "c")]
    [InlineData("-no_advertise")]
    [InlineData("--no_advertise=true")]
    [InlineData("-cluster_advertise", "a:1")]
    [InlineData("-connect_retries", "3")]
    [InlineData("-cluster_listen", "nats://a:1")]
    [InlineData("-profile", "8000")]
    [InlineData("-s")]
    [InlineData("--syslog")]
    [InlineData("-r", "udp://localhost:514")]
    [InlineData("--help_tls")]
    [InlineData("--logtime_utc")]
    public async Task An_unsupported_flag_is_refused_with_its_reason(params string[] args)
    {
        CommandRun run = await CommandRun.Of(args);

        Assert.Equal((ExitCode.Usage, null), (run.ExitCode, run.Host.Started));
        Assert.StartsWith($"broker: {args[0].Split('=')[0]} is not supported: ", run.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(1, "-cluster", "nats://0.0.0.0:6222")]
    [InlineData(2, "-cluster", "nats://0.0.0.0:6222", "-routes=nats://a:1")]
    [InlineData(1, "--no_advertise")]
    [InlineData(2, "-profile", "8000", "--syslog")]
    [InlineData(0, "-s=false")]
    public async Task On_request_an_unsupported_flag_is_a_warning(int warnings, params string[] flags)
    {
        foreach (string[] args in (string[][])[["--ignore-unsupported", .. flags, "-p", "4333"], [.. flags, "-p", "4333", "-ignore-unsupported"]])
        {
            CommandRun run = await CommandRun.Of(args);

            Assert.Equal((ExitCode.Success, 4333), (run.ExitCode, run.Host.Started!.Port));
            string[] lines = run.Error.Split('\n', StringSplitOptions.RemoveEmptyEntries);
            Assert.Equal(warnings, lines.Length);
            Assert.All(lines, line => Assert.Matches("^broker: warning: -[^ =]+ is not supported: [^\n]+$", line));
        }
    }

    [Theory]
    [InlineData("-cluster", "nats://0.0.0.0:6222")]
    [InlineData("-s")]
    public async Task The_refusal_names_the_flag_that_ignores_it(params string[] args)
        => Assert.Contains("(--ignore-unsupported starts without it)", (await CommandRun.Of(args)).Error, StringComparison.Ordinal);

    [Theory]
    [InlineData("cluster { name: c, listen: \"0.0.0.0:6222\", routes: [\"nats://a:6222\"] }")]
    [InlineData("mqtt { port: 1883 }")]
    [InlineData("syslog: true")]
    [InlineData("prof_port: 8000")]
    public async Task On_request_a_key_of_a_missing_feature_is_a_warning(string text)
    {
        string file = _folder.Write("b.conf", "port: 4333\n" + text);

        CommandRun refused = await CommandRun.Of("serve", "-c", file);
        CommandRun run = await CommandRun.Of("serve", "-c", file, "--ignore-unsupported");

        Assert.Equal((ExitCode.Failure, null), (refused.ExitCode, refused.Host.Started));
        Assert.EndsWith("(broker serve --ignore-unsupported starts without it)", refused.Error.TrimEnd(), StringComparison.Ordinal);
        Assert.Equal((ExitCode.Success, 4333), (run.ExitCode, run.Host.Started!.Port));
        Assert.Matches("^broker: warning: \"[a-z_]+\" is not supported: [^\n]+ at [^\n]+:2:[0-9]+\r?\n$", run.Error);
    }

    // The server would permit more than its file says.
    [Theory]
    [InlineData("operator: \"/o.jwt\"")]
    [InlineData("trusted_keys: [\"OX\"]")]
    [InlineData("resolver: MEMORY")]
    [InlineData("authorization { token: t, auth_callout { issuer: A } }")]
    [InlineData("accounts { A { users: [ { user: a, password: b, proxy_required: true } ] } }")]
    [InlineData("mqtt { port: 1883 }\nmax_paylod: 1")]
    public async Task What_restricts_clients_or_is_unknown_is_never_ignored(string text)
    {
        string file = _folder.Write("b.conf", text);

        CommandRun run = await CommandRun.Of("serve", "-c", file, "--ignore-unsupported");

        Assert.Equal((ExitCode.Failure, null), (run.ExitCode, run.Host.Started));
        Assert.DoesNotContain("--ignore-unsupported", run.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("-nosuch", "-nosuch")]
    [InlineData("-namex", "-namex, did you mean --name?")]
    [InlineData("-clusterx=y", "-clusterx")]
    [InlineData("-p4333", "-p4333")]
    [InlineData("-port4333", "-port4333")]
    [InlineData("-tq", "-tq")]
    [InlineData("-pass=x", null)]
    [InlineData("--pas=c4nary", "--pas, did you mean --pass?")]
    public async Task Nothing_is_read_into_an_unknown_flag(string flag, string? unknown)
    {
        CommandRun run = await CommandRun.Of("serve", flag);

        Assert.Equal((ExitCode.Usage, null), (run.ExitCode, run.Host.Started));
        Assert.Equal(
            unknown is null
                ? "broker: --user and --pass must be given together"
                : $"broker: unknown flag {unknown} (broker serve --help lists them)",
            run.Error.TrimEnd());
    }

    [Theory]
    [InlineData("-DV")]
    [InlineData("-DVV")]
    [InlineData("--DV")]
    public async Task Debug_and_trace_are_one_flag_too(string flag)
    {
        ServeSettings settings = (await CommandRun.Of("serve", flag)).Host.Started!;

        Assert.Equal((true, true), (settings.Debug, settings.Trace));
    }

    [Theory]
    [InlineData("-V", true, false, false)]
    [InlineData("-VV", true, true, false)]
    [InlineData("--VV", true, true, false)]
    [InlineData("-DVV", true, true, true)]
    [InlineData("-DV", true, false, true)]
    [InlineData("-VV=false", false, false, false)]
    public async Task A_second_V_is_for_the_system_account(string flag, bool trace, bool system, bool debug)
    {
        ServeSettings settings = (await CommandRun.Of("serve", flag)).Host.Started!;

        Assert.Equal((trace, system, debug), (settings.Trace, settings.TraceSystemAccount, settings.Debug));
    }

    [Theory]
    [InlineData("5", 5)]
    [InlineData("0", 0)]
    [InlineData("-1", 0)]
    public async Task So_much_of_a_payload_is_traced(string length, int traced)
    {
        Assert.Equal(traced, (await CommandRun.Of("serve", "-max_traced_msg_len", length)).Host.Started!.TracedPayload);
        Assert.Equal(traced, (await CommandRun.Of("serve", $"--max_traced_msg_len={length}")).Host.Started!.TracedPayload);
    }

    [Theory]
    [InlineData("--user", "a", "--pass", "-n")]
    [InlineData("-user=a", "-pass=-n")]
    public async Task A_value_may_look_like_a_flag(params string[] args)
    {
        ServeSettings settings = (await CommandRun.Of(["serve", .. args])).Host.Started!;

        Assert.Equal(("a", null), (settings.Security!.Users[0].Name, settings.ServerName));
    }

    [Theory]
    [InlineData("--auth", "", "--auth is empty")]
    [InlineData("--user", "", "--pass", "x", "--user is empty")]
    [InlineData("--user", "x", "--pass", "", "--pass is empty")]
    [InlineData("--user", "x", "--user and --pass must be given together")]
    [InlineData("--user", "x", "--pass", "y", "--auth", "t", "--user and --auth cannot be combined")]
    public async Task A_credential_that_is_empty_lets_nobody_in(params string[] argsAndProblem)
    {
        CommandRun run = await CommandRun.Of(["serve", .. argsAndProblem[..^1]]);

        Assert.Equal((ExitCode.Usage, null), (run.ExitCode, run.Host.Started));
        Assert.StartsWith("broker: " + argsAndProblem[^1], run.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("authorization { users: [ { user: b, password: p } ] }", "--user", "--user and the file's \"users\" cannot be combined")]
    [InlineData("authorization { users: [ { user: b, password: p } ] }", "--auth", "--auth and the file's \"users\" cannot be combined")]
    [InlineData("accounts { A { users: [ { user: b, password: p } ] } }", "--user", "--user and the users of the file's \"accounts\" cannot be combined")]
    [InlineData("accounts { A { users: [ { user: b, password: p } ] } }", "--auth", "--auth and the users of the file's \"accounts\" cannot be combined")]
    [InlineData("authorization { user: b, password: p }", "--auth", "--auth and the file's \"user\" cannot be combined")]
    [InlineData("authorization { token: t }", "--user", "--user and the file's \"token\" cannot be combined")]
    public async Task A_credential_of_the_flags_is_refused_beside_another_way_in_of_the_file(string text, string flag, string problem)
    {
        string file = _folder.Write("b.conf", text);
        string[] given = flag == "--user" ? ["--user", "a", "--pass", "secret"] : ["--auth", "secret"];

        CommandRun run = await CommandRun.Of(["serve", "-c", file, .. given]);

        Assert.Null(run.Host.Started);
        Assert.NotEqual(0, (int)run.ExitCode);
        Assert.Contains(problem, run.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", run.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("authorization { user: b, password: p }", "--user")]
    [InlineData("authorization { token: t }", "--auth")]
    public async Task A_credential_of_the_flags_replaces_the_same_of_the_file(string text, string flag)
    {
        string file = _folder.Write("b.conf", text);
        string[] given = flag == "--user" ? ["--user", "a", "--pass", "secret"] : ["--auth", "secret"];

        SecuritySettings security = (await CommandRun.Of(["serve", "-c", file, .. given])).Host.Started!.Security!;

        Assert.Equal(flag == "--user" ? "a" : "secret", flag == "--user" ? Assert.Single(security.Users).Name : security.Token);
    }

    [Fact]
    public async Task Clear_clients_stay_allowed_when_TLS_comes_by_flags()
    {
        (string certificate, string key) = TestCertificates.WriteSelfSigned(_folder.Path);
        string file = _folder.Write("b.conf", "allow_non_tls: true");

        ServeSettings settings = (await CommandRun.Of("serve", "-c", file, "--tlscert", certificate, "--tlskey", key)).Host.Started!;

        Assert.True(settings.Tls!.AllowNonTls);
    }

    [Theory]
    [InlineData("0", 4222)]
    [InlineData("-1", 0)]
    public async Task Port_0_is_the_usual_one(string text, int port)
        => Assert.Equal(port, (await CommandRun.Of("serve", "-p", text)).Host.Started!.Port);

    [Theory]
    [InlineData("help")]
    [InlineData("version")]
    public async Task Help_and_version_may_be_words(string word) => Assert.Equal(ExitCode.Success, (await CommandRun.Of(word)).ExitCode);

    [Fact]
    public async Task By_another_name_it_serves_without_a_command_and_tells_one_version()
    {
        Assert.NotNull((await CommandRun.As("nats-server")).Host.Started);
        Assert.Equal("nats-server: v2.9.10", (await CommandRun.As("nats-server", "-v")).Output.TrimEnd());
        string[] files = [];
        CommandRun run = await CommandRun.As(
            "nats-server", host => files = Directory.GetFiles(_folder.Path), "--ports_file_dir", _folder.Path);

        Assert.Equal(ExitCode.Success, run.ExitCode);
        Assert.Equal($"nats-server_{Environment.ProcessId}.ports", Path.GetFileName(Assert.Single(files)));
    }
}
