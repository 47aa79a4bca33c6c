using Broker.Cli.Serving;
using Broker.Cli.Terminal;

namespace Broker.Cli.Tests.Serving;

/// <summary>Tests the events that an observer, such as a service manager, receives from a run.</summary>
public sealed class ServeObserverTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly StringWriter _output = new();
    private readonly StringWriter _error = new();
    private readonly ServeControl _control = new(TestContext.Current.CancellationToken);
    private readonly Recorder _told = new();

    public void Dispose()
    {
        _control.Dispose();
        _output.Dispose();
        _error.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public async Task It_is_told_the_start_the_steps_of_the_stop_and_the_result()
    {
        using var emptied = new SemaphoreSlim(0);
        int left = 3;
        _told.OnStep = stop =>
        {
            if (stop.Backlog.Clients == 0)
            {
                emptied.Release();
            }
        };
        var host = new FakeHost
        {
            OnStart = _ => _control.RequestStop(),
            Backlog = () => left >= 0 ? new ServeBacklog(left, 100 * left--) : default,
            Drain = async _ => await emptied.WaitAsync(TestContext.Current.CancellationToken),
            Undelivered = 7,
        };

        Assert.Equal(ExitCode.Undelivered, await RunAsync(host, new ServeSettings { StopDeadline = TimeSpan.FromMinutes(1) }));

        Assert.Equal(
            ["started nats://127.0.0.1:4222", "stopping 3 300", "stopping 2 200", "stopping 1 100", "stopping 0 0", "stopped 3 7 "],
            _told.Distinct());
        Assert.InRange(_told.Left, TimeSpan.FromSeconds(1), TimeSpan.FromMinutes(1));
    }

    [Fact]
    public async Task It_is_told_why_nothing_could_be_started()
    {
        var host = new FakeHost { OnStart = static _ => throw new ServeStartException("no such thing") };

        Assert.Equal(ExitCode.Failure, await RunAsync(host, new ServeSettings()));

        Assert.Equal(["stopped 1 0 no such thing"], _told.Events);
    }

    [Fact]
    public async Task It_is_told_of_a_log_that_cannot_be_opened()
    {
        string nowhere = Path.Combine(_folder.Path, "nowhere", "log");

        Assert.Equal(ExitCode.Failure, await RunAsync(new FakeHost(), new ServeSettings { LogFile = nowhere }));

        Assert.StartsWith($"stopped 1 0 cannot write the log file {nowhere}", Assert.Single(_told.Events), StringComparison.Ordinal);
    }

    [Fact]
    public async Task It_is_told_of_a_fault_that_ends_the_process()
    {
        var host = new FakeHost { OnStart = static _ => throw new InvalidOperationException("a fault") };

        await Assert.ThrowsAsync<InvalidOperationException>(() => RunAsync(host, new ServeSettings()));

        Assert.Equal(["stopped 1 0 a fault"], _told.Events);
    }

    [Fact]
    public async Task It_is_told_of_reloads_and_of_lame_duck_mode()
    {
        int reads = 0;
        _control.Request(ControlRequest.Reload);
        _control.Request(ControlRequest.Reload);
        _control.Request(ControlRequest.LameDuck);

        await RunAsync(
            new FakeHost(), new ServeSettings(), () => ++reads == 1 ? new ServeSettings() : throw new ServeStartException("not like this"));

        Assert.Equal(
            ["started nats://127.0.0.1:4222", "reloading", "reloaded ", "reloading", "reloaded not like this", "lame duck 00:02:00", "stopping 0 0", "stopped 0 0 "],
            _told.Distinct());
    }

    [Fact]
    public async Task A_client_that_requests_a_reload_learns_its_result()
    {
        int reads = 0;
        Task? first = null;
        Task? second = null;
        var host = new FakeHost
        {
            OnReloadPossible = reload =>
            {
                first = reload();
                _ = first.ContinueWith(
                    _ =>
                    {
                        second = reload();
                        _ = second.ContinueWith(_ => _control.RequestStop(), TaskScheduler.Default);
                    },
                    TaskScheduler.Default);
            },
        };

        await RunAsync(host, new ServeSettings(), () => ++reads == 1 ? new ServeSettings() : throw new ServeStartException("not like this"));

        await first!;
        Assert.Equal("not like this", (await Assert.ThrowsAsync<ServeStartException>(() => second!)).Message);
    }

    [Fact]
    public async Task An_administrator_can_request_lame_duck_mode()
    {
        var host = new FakeHost { OnLameDuckPossible = static begin => begin() };

        await RunAsync(host, new ServeSettings(), static () => new ServeSettings());

        Assert.True(host.LameDuck);
    }

    [Fact]
    public async Task One_that_fails_changes_nothing_and_is_named_in_the_log()
    {
        var host = new FakeHost { OnStart = _ => _control.RequestStop() };

        int exitCode = await new ServeRunner(Screen(), new FastTime(), new Broken(), _told)
            .RunAsync(new ServeSettings(), host, _control, static () => new ServeSettings());

        Assert.Equal(ExitCode.Success, exitCode);
        Assert.Contains("stopped 0 0 ", _told.Events);
        Assert.Contains("Broken threw an exception when it was notified (NotSupportedException: not today)", _error.ToString(), StringComparison.Ordinal);
    }

    private Screen Screen()
        => new(TextWriter.Synchronized(_output), TextWriter.Synchronized(_error), isTerminal: false, static () => 200);

    private Task<int> RunAsync(FakeHost host, ServeSettings settings, Func<ServeSettings>? reread = null)
        => new ServeRunner(Screen(), new FastTime(), _told).RunAsync(settings, host, _control, reread ?? (() => settings));

    private sealed class Broken : IServeObserver
    {
        public void OnStarted(ServeAddresses addresses, ServeSettings settings) => throw new NotSupportedException("not today");
    }

    private sealed class Recorder : IServeObserver
    {
        public List<string> Events { get; } = [];

        public Action<ServeStop> OnStep { get; set; } = static _ => { };

        public TimeSpan Left { get; private set; }

        // With the fast clock, a step can be reported more than once.
        public IEnumerable<string> Distinct() => Events.Where((e, i) => i == 0 || e != Events[i - 1]);

        public void OnStarted(ServeAddresses addresses, ServeSettings settings) => Events.Add($"started {addresses.Nats[0]}");

        public void OnReloading() => Events.Add("reloading");

        public void OnReloaded(IReadOnlyList<string> problems) => Events.Add($"reloaded {string.Join(", ", problems)}");

        public void OnLameDuck(TimeSpan within) => Events.Add($"lame duck {within}");

        public void OnStopping(ServeStop stop)
        {
            Left = stop.Left;
            Events.Add($"stopping {stop.Backlog.Clients} {stop.Backlog.Bytes}");
            OnStep(stop);
        }

        public void OnStopped(ServeResult result) => Events.Add($"stopped {result.ExitCode} {result.Undelivered} {result.Problem}");
    }
}
