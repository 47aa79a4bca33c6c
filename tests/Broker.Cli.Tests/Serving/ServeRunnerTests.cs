using System.Collections.Concurrent;
using System.Net.Sockets;
using System.Runtime.ExceptionServices;
using System.Text.Json;
using Broker.Cli.Serving;
using Broker.Cli.Terminal;
using Microsoft.Extensions.Logging;

namespace Broker.Cli.Tests.Serving;

public sealed class ServeRunnerTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly StringWriter _output = new();
    private readonly StringWriter _error = new();
    private readonly CancellationTokenSource _stop = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);

    public void Dispose()
    {
        _stop.Dispose();
        _output.Dispose();
        _error.Dispose();
        _folder.Dispose();
    }

    [Theory]
    [InlineData(0, ExitCode.Success, "")]
    [InlineData(1, ExitCode.Undelivered, "broker: stopped with 1 undelivered message")]
    [InlineData(4171, ExitCode.Undelivered, "broker: stopped with 4171 undelivered messages")]
    public async Task The_exit_code_is_zero_only_if_everything_was_delivered(long undelivered, int exitCode, string error)
    {
        var host = new FakeHost { OnStart = _ => _stop.Cancel(), Undelivered = undelivered };

        Assert.Equal(exitCode, await RunAsync(new ServeSettings(), host));
        Assert.Equal(error, _error.ToString().TrimEnd());
    }

    [Fact]
    public async Task The_addresses_and_what_to_try_are_printed()
    {
        await RunAsync(new ServeSettings { ZeroMq = new() { Prefix = "plant" } }, new FakeHost { OnStart = _ => _stop.Cancel() });

        string text = _output.ToString();
        Assert.Contains("NATS clients:       nats://127.0.0.1:4222", text, StringComparison.Ordinal);
        Assert.Contains(" zmq pub -c tcp://127.0.0.1:5556 weather.oslo '4 degrees'", text, StringComparison.Ordinal);
        Assert.Contains(" zmq sub -c tcp://127.0.0.1:5557 weather", text, StringComparison.Ordinal);
        Assert.Contains(" sub -s nats://127.0.0.1:4222 'plant.weather.*'", text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_taken_port_is_one_line_that_names_it()
    {
        var host = new FakeHost { OnStart = _ => throw new SocketException((int)SocketError.AddressAlreadyInUse) };

        Assert.Equal(ExitCode.Failure, await RunAsync(new ServeSettings(), host));
        Assert.Equal(
            "broker: cannot listen on 127.0.0.1:4222: the address is already in use (is nats-server or another broker running?)",
            _error.ToString().TrimEnd());
        Assert.Empty(_output.ToString());
    }

    [Fact]
    public async Task A_stop_while_starting_is_no_failure()
    {
        await _stop.CancelAsync();

        Assert.Equal(ExitCode.Success, await RunAsync(new ServeSettings(), new FakeHost()));
    }

    [Fact]
    public async Task The_ports_file_and_the_pid_file_exist_while_it_runs()
    {
        string ports = Path.Combine(_folder.Path, $"broker_{Environment.ProcessId}.ports");
        string pid = Path.Combine(_folder.Path, "broker.pid");
        string portsText = "";
        string pidText = "";
        var host = new FakeHost
        {
            Counts = () =>
            {
                portsText = File.ReadAllText(ports);
                pidText = File.ReadAllText(pid);
                _stop.Cancel();
                return default;
            },
        };

        await RunAsync(new ServeSettings { PortsFileDirectory = _folder.Path, PidFile = pid }, host, isTerminal: true);

        using var json = JsonDocument.Parse(portsText);
        Assert.Equal("nats://127.0.0.1:4222", json.RootElement.GetProperty("nats")[0].GetString());
        Assert.Equal(0, json.RootElement.GetProperty("monitoring").GetArrayLength());
        Assert.Equal("tcp://127.0.0.1:5556", json.RootElement.GetProperty("zeromq").GetProperty("publishers")[0].GetString());
        Assert.Equal("tcp://127.0.0.1:5557", json.RootElement.GetProperty("zeromq").GetProperty("subscribers")[0].GetString());
        Assert.Equal(Environment.ProcessId.ToString(System.Globalization.CultureInfo.InvariantCulture), pidText);
        Assert.Empty(Directory.EnumerateFileSystemEntries(_folder.Path));
    }

    [Theory]
    [InlineData("log")]
    [InlineData("pid")]
    [InlineData("ports")]
    public async Task A_file_that_cannot_be_written_is_named(string file)
    {
        string nowhere = Path.Combine(_folder.Path, "nowhere", "x");
        ServeSettings settings = file switch
        {
            "log" => new ServeSettings { LogFile = nowhere },
            "pid" => new ServeSettings { PidFile = nowhere },
            _ => new ServeSettings { PortsFileDirectory = nowhere },
        };

        Assert.Equal(ExitCode.Failure, await RunAsync(settings, new FakeHost()));
        Assert.StartsWith($"broker: cannot write the {file} file {nowhere}", _error.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Counts_are_shown_only_when_they_change()
    {
        int calls = 0;
        var host = new FakeHost
        {
            Counts = () =>
            {
                if (++calls == 3)
                {
                    _stop.Cancel();
                }

                return new ServeCounts { MessagesIn = 7 };
            },
        };

        await RunAsync(new ServeSettings(), host, isTerminal: true);

        Assert.Single(_output.ToString().Split('\n'), line => line.Contains("in 7 (0 B)", StringComparison.Ordinal));
        Assert.Equal(2, _output.ToString().Split("in 7 (0 B)").Length);
    }

    [Fact]
    public async Task Log_lines_go_to_the_file_and_obey_the_level()
    {
        string log = Path.Combine(_folder.Path, "broker.log");
        var host = new FakeHost
        {
            OnStart = loggers =>
            {
                ILogger logger = loggers.CreateLogger("Broker.Server.Session");
                logger.LogDebug("not asked for");
                logger.LogWarning("from a peer: {Text}", "one\r\ntwo\u001b[31m");
                _stop.Cancel();
            },
        };

        await RunAsync(new ServeSettings { LogFile = log }, host);

        string[] lines = await File.ReadAllLinesAsync(log, TestContext.Current.CancellationToken);
        Assert.EndsWith(
            @" [warn] Session: from a peer: one\r\ntwo\x1b[31m",
            Assert.Single(lines, line => line.Contains("Session", StringComparison.Ordinal)),
            StringComparison.Ordinal);
        Assert.Empty(_error.ToString());
    }

    [Fact]
    public async Task With_a_log_file_it_is_told_the_addresses_in_place_of_the_terminal_and_both_how_the_stop_went()
    {
        string log = Path.Combine(_folder.Path, "broker.log");
        var host = new FakeHost { OnStart = _ => _stop.Cancel(), Undelivered = 2 };

        await RunAsync(new ServeSettings { LogFile = log }, host, isTerminal: true);

        string text = await File.ReadAllTextAsync(log, TestContext.Current.CancellationToken);
        Assert.Contains("is ready (process ", text, StringComparison.Ordinal);
        Assert.Contains("nats://127.0.0.1:4222", text, StringComparison.Ordinal);
        Assert.Contains("[info] broker: stopping: 0 clients", text, StringComparison.Ordinal);
        Assert.Contains("[error] broker: stopped: 2 messages were not delivered", text, StringComparison.Ordinal);
        Assert.StartsWith("stopping: ", _output.ToString(), StringComparison.Ordinal);
        Assert.Equal("broker: stopped with 2 undelivered messages", _error.ToString().TrimEnd());
    }

    [Fact]
    public async Task A_stop_throws_no_exception()
    {
        // Other tests run meanwhile. Only this test's tasks carry the mark.
        var mine = new AsyncLocal<bool> { Value = true };
        var thrown = new ConcurrentQueue<Exception>();
        void OnThrown(object? sender, FirstChanceExceptionEventArgs e)
        {
            if (mine.Value)
            {
                thrown.Enqueue(e.Exception);
            }
        }

        AppDomain.CurrentDomain.FirstChanceException += OnThrown;
        try
        {
            Assert.Equal(ExitCode.Success, await RunAsync(new ServeSettings(), new FakeHost { OnStart = _ => _stop.CancelAfter(1) }));
        }
        finally
        {
            AppDomain.CurrentDomain.FirstChanceException -= OnThrown;
        }

        Assert.Empty(thrown);
    }

    private async Task<int> RunAsync(ServeSettings settings, FakeHost host, bool isTerminal = false)
    {
        using var control = new ServeControl(_stop.Token);
        return await new ServeRunner(new Screen(_output, _error, isTerminal, static () => 200), new FastTime())
            .RunAsync(settings, host, control, () => settings);
    }
}
