using System.Net.Sockets;
using System.Text;
using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Serving;

/// <summary>
/// Tests the command as a systemd service. The test receives the messages of sd_notify(3) on a socket.
/// </summary>
public sealed class SystemdTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("systemd-");
    private readonly Socket? _manager;
    private readonly string _path;

    public SystemdTests()
    {
        _path = Path.Combine(_folder.FullName, "notify");
        if (OperatingSystem.IsLinux())
        {
            _manager = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
            _manager.Bind(new UnixDomainSocketEndPoint(_path));
        }
    }

    public void Dispose()
    {
        _manager?.Dispose();
        _folder.Delete(recursive: true);
    }

    [Fact]
    public async Task It_is_told_when_the_broker_is_ready_reloads_and_stops_and_how_long_the_stop_may_take()
    {
        Assert.SkipWhen(_manager is null, "systemd is Linux's");
        string file = Path.Combine(_folder.FullName, "broker.conf");
        await File.WriteAllTextAsync(file, "listen: \"127.0.0.1:-1\"\nstop_deadline: \"100s\"\n", TestContext.Current.CancellationToken);
        await using PeerProcess broker = Start([], "serve", "-q", "-c", file);

        Assert.StartsWith("READY=1\nSTATUS=serving nats://127.0.0.1:", await ReceiveAsync(), StringComparison.Ordinal);
        await broker.SignalAsync("HUP");
        Assert.Matches(@"^RELOADING=1\nMONOTONIC_USEC=\d+$", await ReceiveAsync());
        Assert.Equal("READY=1\nSTATUS=serving, reloaded", await ReceiveAsync());
        await broker.SignalAsync("TERM");
        Assert.Equal("STOPPING=1\nSTATUS=delivering to 0 clients, 0 bytes queued\nEXTEND_TIMEOUT_USEC=110000000", await ReceiveAsync());
        Assert.True(await broker.WaitForExitAsync() == 0, broker.Errors);
    }

    [Fact]
    public async Task It_hears_that_the_broker_is_alive_where_it_asks_for_that()
    {
        Assert.SkipWhen(_manager is null, "systemd is Linux's");
        await using PeerProcess broker = Start(["WATCHDOG_USEC=1000000"], "serve", "-q", "-p", "-1");

        while (await ReceiveAsync() != "WATCHDOG=1")
        {
            // The other notifications are tested above.
        }
    }

    private PeerProcess Start(string[] variables, params string[] command)
        => PeerProcess.Start("broker", "env", ["NOTIFY_SOCKET=" + _path, .. variables, .. BrokerProgram.Command, .. command]);

    private async Task<string> ReceiveAsync()
    {
        byte[] buffer = new byte[4096];
        int count = await Wait.For(_manager!.ReceiveAsync(buffer, SocketFlags.None, TestContext.Current.CancellationToken).AsTask());
        return Encoding.UTF8.GetString(buffer, 0, count);
    }
}
