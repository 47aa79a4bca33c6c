using System.Diagnostics;
using System.Globalization;
using Broker.Cli.Configuration;
using Broker.Cli.Serving;
using Broker.Cli.Terminal;
using Broker.Server;
using Broker.Transport;
using Microsoft.Extensions.Logging;

namespace Broker.Cli.Tests.Serving;

/// <summary>Tests requests to a running broker, without a process and its signals.</summary>
public sealed class ServeControlTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly StringWriter _output = new();
    private readonly StringWriter _error = new();
    private readonly ServeControl _control = new(TestContext.Current.CancellationToken);
    private ILogger? _logger;

    public void Dispose()
    {
        _control.Dispose();
        _output.Dispose();
        _error.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public async Task A_reload_hands_the_new_settings_to_the_host()
    {
        var next = new ServeSettings { MaxPayload = 5, Debug = true };

        FakeHost host = await RunAsync(new ServeSettings(), () => next, ControlRequest.Reload, ControlRequest.LameDuck);

        Assert.Equal([next with { Quiet = true }], host.Reloads);
        Assert.True(host.LameDuck);
        Assert.True(host.Stopped);
        Assert.Contains("the configuration was reloaded", _output.ToString(), StringComparison.Ordinal);
        Assert.Empty(_error.ToString());
    }

    [Fact]
    public async Task What_cannot_change_is_named_and_nothing_is_changed()
    {
        var before = new ServeSettings { ZeroMq = new ZeroMqSettings() };
        ServeSettings next = before with { Port = 1, MaxPayload = 5, Loops = new EventLoopOptions { Loops = 3 }, ZeroMq = new ZeroMqSettings { Connection = new BridgeConnection { Servers = ["nats://a"] } } };

        FakeHost host = await RunAsync(before, () => next, ControlRequest.Reload, ControlRequest.LameDuck);

        Assert.Empty(host.Reloads);
        Assert.Equal("broker: cannot reload: listen, loops, url or user of zeromq cannot change without a restart", _error.ToString().TrimEnd());
    }

    [Fact]
    public async Task The_same_bridge_read_again_is_no_change()
    {
        FakeHost host = await RunAsync(
            new ServeSettings { ZeroMq = new ZeroMqSettings() },
            () => new ServeSettings { ZeroMq = new ZeroMqSettings() },
            ControlRequest.Reload, ControlRequest.LameDuck);

        Assert.Single(host.Reloads);
        Assert.Empty(_error.ToString());
    }

    [Fact]
    public async Task All_that_is_wrong_in_the_file_is_said_and_the_old_settings_stay()
    {
        string file = _folder.Write("b.conf", "max_paylod: 1\nport: x");

        FakeHost host = await RunAsync(
            new ServeSettings(),
            () => ServeConfig.Bind(ConfigFile.Load(file).Root, new ServeSettings()),
            ControlRequest.Reload, ControlRequest.LameDuck);

        Assert.Empty(host.Reloads);
        Assert.Equal(2, _error.ToString().Split("broker: cannot reload: ").Length - 1);
        Assert.Contains("did you mean \"max_payload\"?", _error.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_log_file_that_was_moved_away_is_begun_anew()
    {
        string log = Path.Combine(_folder.Path, "log");
        var settings = new ServeSettings { LogFile = log };
        Task<FakeHost> running = RunAsync(settings, () => settings);
        await Wait.UntilAsync(() => _logger is not null && File.ReadAllText(log).Contains("ready", StringComparison.Ordinal));
        _logger!.LogWarning("one");
        await Wait.UntilAsync(() => File.ReadAllText(log).Contains("one", StringComparison.Ordinal));
        File.Move(log, log + ".1");
        _control.Request(ControlRequest.ReopenLog);
        await Wait.UntilAsync(() => File.Exists(log));
        // The new file exists a moment before lines go to it.
        await Wait.UntilAsync(() =>
        {
            _logger!.LogWarning("two");
            return File.ReadAllText(log).Contains("two", StringComparison.Ordinal);
        });
        _logger!.LogWarning("three");
        await Wait.UntilAsync(() => File.ReadAllText(log).Contains("three", StringComparison.Ordinal));
        _control.RequestStop();
        await running;

        Assert.DoesNotContain("three", await File.ReadAllTextAsync(log + ".1", TestContext.Current.CancellationToken), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("reload", "reload", null)]
    [InlineData("stop=12", "stop", "12")]
    [InlineData("ldm=/run/b.pid", "ldm", "/run/b.pid")]
    [InlineData("kill", null, null)]
    [InlineData("reload=", null, null)]
    [InlineData("", null, null)]
    public void A_signal_has_a_name_and_maybe_a_process(string text, string? name, string? process)
    {
        var request = SignalRequest.ParseOrNull(text);

        Assert.Equal((name, process), (request?.Name, request?.Process));
    }

    // The process is not a broker, so it answers nothing.
    [Fact]
    public void A_reload_without_an_answer_is_an_error_of_its_own()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "signals are Unix's");
        using var other = Process.Start("sleep", "60");
        var request = new SignalRequest("reload", other.Id.ToString(CultureInfo.InvariantCulture)) { LongestReload = TimeSpan.FromMilliseconds(100) };

        (int exitCode, string? problems) = request.Send(null);

        Assert.Equal(ExitCode.NothingCame, exitCode);
        Assert.Equal($"process {other.Id} has not answered within 100ms whether it has reloaded; its log tells", problems);
    }

    [Fact]
    public void A_signal_to_nobody_says_so()
    {
        Assert.Equal("/nowhere is neither a process id nor a readable pid file", new SignalRequest("reload", "/nowhere").Send(null).Problems);
        Assert.Equal($"the file {_folder.Write("pid", "x")} contains no process id", new SignalRequest("reload", null).Send(Path.Combine(_folder.Path, "pid")).Problems);
        Assert.StartsWith("cannot signal process 2147483647: ", new SignalRequest("reload", "2147483647").Send(null).Problems, StringComparison.Ordinal);
    }

    [Fact]
    public void An_endless_device_is_no_pid_file()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "There is no /dev/zero.");

        Assert.Contains("contains no process id", new SignalRequest("stop", "/dev/zero").Send(null).Problems, StringComparison.Ordinal);
    }

    [Fact]
    public void Every_key_of_limits_and_life_is_taken()
    {
        string file = _folder.Write("b.conf", """
            listen: ["127.0.0.1:1", "[::1]:2"]
            max_pending: 2MB
            max_pending_total: 4MB
            slow_consumers: drop_oldest
            no_fast_producer_stall: true
            max_subscriptions: 7
            client_advertise: "a.b:3"
            connect_urls: ["c:4", "d:5"]
            lame_duck_duration: "30s"
            lame_duck_grace_period: "1s"
            logtime: false
            """);

        ServeSettings settings = ServeConfig.Bind(ConfigFile.Load(file).Root, new ServeSettings());

        Assert.Equal(("127.0.0.1", 1), (settings.Host, settings.Port));
        Assert.Equal([new ListenAddress("::1", 2)], settings.AlsoListen);
        Assert.Equal((4L << 20, SlowConsumerPolicy.DropOldest, 7), (settings.MaxPendingTotal, settings.SlowConsumers, settings.MaxSubscriptions));
        Assert.False(settings.StallFastPublishers);
        Assert.Equal("a.b:3", settings.ClientAdvertise);
        Assert.Equal(["c:4", "d:5"], settings.ConnectUrls);
        Assert.Equal((30d, 1d, false), (settings.LameDuckDuration.TotalSeconds, settings.LameDuckGracePeriod.TotalSeconds, settings.LogTime));
    }

    [Theory]
    [InlineData("max_pending_total: 1MB", "max_pending_total (1048576) must not be less than max_pending (67108864)")]
    [InlineData("lame_duck_duration: \"1s\"", "lame_duck_grace_period (10s) must not be greater than lame_duck_duration (1s)")]
    [InlineData("slow_consumers: drop", "\"slow_consumers\" must be disconnect, drop_newest or drop_oldest")]
    [InlineData("client_advertise: \"a\"", "\"client_advertise\" must be a host and port such as \"example.org:4222\"")]
    [InlineData("listen: [1]", "\"listen\" must be a text such as \"127.0.0.1:4222\"")]
    public void What_cannot_be_is_refused(string text, string problem)
    {
        string file = _folder.Write("b.conf", text);

        ConfigException e = Assert.Throws<ConfigException>(() => ServeConfig.Bind(ConfigFile.Load(file).Root, new ServeSettings()));

        Assert.StartsWith(problem, e.Problems[0].ToString(), StringComparison.Ordinal);
    }

    private async Task<FakeHost> RunAsync(ServeSettings settings, Func<ServeSettings> reread, params ControlRequest[] requests)
    {
        foreach (ControlRequest request in requests)
        {
            _control.Request(request);
        }

        var host = new FakeHost { OnStart = loggers => _logger = loggers.CreateLogger("x") };
        var screen = new Screen(TextWriter.Synchronized(_output), TextWriter.Synchronized(_error), isTerminal: false, static () => 200);
        await new ServeRunner(screen, TimeProvider.System).RunAsync(settings with { Quiet = true }, host, _control, () => reread() with { Quiet = true });
        return host;
    }
}
