using System.Globalization;
using System.Net.Sockets;
using System.Text;
using Broker.Cli.ServiceManagers;
using Broker.Cli.Serving;
using Broker.Cli.Terminal;
using Broker.Transport;

namespace Broker.Cli.Tests.ServiceManagers;

/// <summary>Tests the datagrams of sd_notify(3), which the test receives like systemd.</summary>
public sealed class SystemdNotifierTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly Socket? _manager;
    private readonly string _path;

    public SystemdNotifierTests()
    {
        _path = Path.Combine(_folder.Path, "notify");
        if (!OperatingSystem.IsWindows())
        {
            _manager = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
            _manager.Bind(new UnixDomainSocketEndPoint(_path));
        }
    }

    public void Dispose()
    {
        _manager?.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public async Task It_is_told_when_the_broker_is_ready_reloads_and_stops()
    {
        Assert.SkipWhen(_manager is null, "systemd is Linux's");
        using SystemdNotifier notifier = Notifier(("NOTIFY_SOCKET", _path))!;
        using var control = new ServeControl(TestContext.Current.CancellationToken);
        await using var host = new FakeHost();
        var screen = new Screen(TextWriter.Null, TextWriter.Null, isTerminal: false, static () => 80);
        Task<int> run = new ServeRunner(screen, TimeProvider.System, notifier).RunAsync(
            new ServeSettings { Quiet = true }, host, control, static () => new ServeSettings { Quiet = true });

        Assert.Equal("READY=1\nSTATUS=serving nats://127.0.0.1:4222", await ReceiveAsync());
        control.Request(ControlRequest.Reload);
        Assert.Matches(@"^RELOADING=1\nMONOTONIC_USEC=\d+$", await ReceiveAsync());
        Assert.Equal("READY=1\nSTATUS=serving, reloaded", await ReceiveAsync());
        control.RequestStop();
        Assert.StartsWith("STOPPING=1\n", await ReceiveAsync(), StringComparison.Ordinal);
        Assert.Equal(ExitCode.Success, await Wait.For(run));
    }

    [Fact]
    public async Task It_hears_that_the_broker_is_alive_as_often_as_it_asks_for()
    {
        Assert.SkipWhen(_manager is null, "systemd is Linux's");
        string id = Environment.ProcessId.ToString(CultureInfo.InvariantCulture);
        using SystemdNotifier notifier = Notifier(("NOTIFY_SOCKET", _path), ("WATCHDOG_USEC", "20000"), ("WATCHDOG_PID", id))!;
        notifier.Watch(static () => Task.FromResult(true));

        Assert.Equal("WATCHDOG=1", await ReceiveAsync());
        Assert.Equal("WATCHDOG=1", await ReceiveAsync());
    }

    [Fact]
    public async Task While_an_event_loop_hangs_it_does_not_hear_that_the_broker_is_alive()
    {
        Assert.SkipWhen(_manager is null, "systemd is Linux's");
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 2 });
        using var hanging = new ManualResetEventSlim();
        var asked = new TaskCompletionSource<Task<bool>>(TaskCreationOptions.RunContinuationsAsynchronously);
        Assert.True(loops[1].TryPost(() => hanging.Wait(TestContext.Current.CancellationToken)));
        using SystemdNotifier notifier = Notifier(("NOTIFY_SOCKET", _path), ("WATCHDOG_USEC", "20000"))!;

        notifier.Watch(() =>
        {
            Task<bool> answer = ServeLoops.AnswerAsync(loops);
            asked.TrySetResult(answer);
            return answer;
        });

        Task<bool> first = await Wait.For(asked);
        // The other loop still responds.
        var other = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Assert.True(loops[0].TryPost(() => other.TrySetResult()));
        await Wait.For(other.Task);
        Assert.False(first.IsCompleted);
        Assert.Equal(0, _manager!.Available);
        hanging.Set();
        Assert.Equal("WATCHDOG=1", await ReceiveAsync());
        Assert.True(first.IsCompleted);
    }

    [Fact]
    public async Task A_loop_that_has_ended_is_not_told_of_as_alive()
    {
        var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        Assert.True(await Wait.For(ServeLoops.AnswerAsync(loops)));
        loops.Dispose();

        Assert.False(await Wait.For(ServeLoops.AnswerAsync(loops)));
    }

    [Fact]
    public async Task A_stop_asks_for_the_time_that_its_deadline_leaves_and_for_none_after_it()
    {
        Assert.SkipWhen(_manager is null, "systemd is Linux's");
        using SystemdNotifier notifier = Notifier(("NOTIFY_SOCKET", _path))!;

        notifier.OnStopping(new ServeStop(new ServeBacklog(2, 300), TimeSpan.FromSeconds(90)));
        notifier.OnStopping(new ServeStop(new ServeBacklog(2, 300), TimeSpan.Zero));

        const string Stopping = "STOPPING=1\nSTATUS=delivering to 2 clients, 300 bytes queued";
        Assert.Equal(Stopping + "\nEXTEND_TIMEOUT_USEC=100000000", await ReceiveAsync());
        Assert.Equal(Stopping, await ReceiveAsync());
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("relative")]
    [InlineData("/")]
    public void Without_a_manager_there_is_nobody_to_tell(string? path) => Assert.Null(Notifier(("NOTIFY_SOCKET", path)));

    [Fact]
    public void A_manager_that_is_gone_is_told_in_vain()
    {
        Assert.SkipWhen(_manager is null, "systemd is Linux's");
        using SystemdNotifier notifier = Notifier(("NOTIFY_SOCKET", _path + "gone"))!;

        notifier.OnStarted(FakeHost.Addresses, new ServeSettings());
        notifier.OnStopping(default);
    }

    private static SystemdNotifier? Notifier(params (string Name, string? Value)[] variables)
        => SystemdNotifier.Of(name => variables.FirstOrDefault(v => v.Name == name).Value, Environment.ProcessId, TimeProvider.System);

    private async Task<string> ReceiveAsync()
    {
        byte[] buffer = new byte[4096];
        int count = await Wait.For(_manager!.ReceiveAsync(buffer, SocketFlags.None, TestContext.Current.CancellationToken).AsTask());
        return Encoding.UTF8.GetString(buffer, 0, count);
    }
}
