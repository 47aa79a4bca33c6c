using System.Globalization;
using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Serving;

/// <summary>Tests that a process whose output fails still serves, and stops in order.</summary>
public sealed class FailingOutputTests : IDisposable
{
    private const int Limit = 20_000;

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("output-");

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    public void Dispose() => _folder.Delete(recursive: true);

    [Theory]
    [InlineData("USR1")]
    [InlineData("HUP")]
    [InlineData("TERM")]
    public async Task A_full_disk_under_the_log_ends_nothing(string signal)
    {
        string log = Path.Combine(_folder.FullName, "log");
        File.CreateSymbolicLink(log, "/dev/full");
        await using PeerProcess broker = BrokerProcess.Run("-p", "-1", "-l", log, "--ports_file_dir", _folder.FullName);
        PortsFile ports = await PortsFile.WaitAsync(_folder.FullName, broker);
        await OffendAsync(ports);

        await broker.SignalAsync(signal);
        await OffendAsync(ports, ends: signal == "TERM");
        await broker.SignalAsync("TERM");

        Assert.Equal(0, await broker.WaitForExitAsync());
        Assert.Empty(broker.Errors);
    }

    [Fact]
    public async Task A_log_that_has_room_again_is_written_again_and_says_what_is_missing()
    {
        string log = Path.Combine(_folder.FullName, "log");
        await File.WriteAllTextAsync(log, new string('#', Limit - 100) + "\n", Ct);
        await using PeerProcess broker = StartLimited($"serve -p -1 -l {log} --ports_file_dir {_folder.FullName}");
        PortsFile ports = await PortsFile.WaitAsync(_folder.FullName, broker);
        for (int i = 0; i < 5; i++)
        {
            await OffendAsync(ports);
        }

        await Wait.UntilAsync(() => new FileInfo(log).Length == Limit);
        // Truncates the file, as log rotation by copying does.
        await using (FileStream rotating = new(log, FileMode.Open, FileAccess.Write, FileShare.ReadWrite))
        {
            rotating.SetLength(0);
        }

        await OffendAsync(ports);
        await Wait.UntilAsync(() => File.ReadAllText(log).Contains("Unknown Protocol Operation", StringComparison.Ordinal));
        string[] lines = await File.ReadAllLinesAsync(log, Ct);

        Assert.Matches(@"^\d{4}-.* \[warn\] log: (1 line was|\d+ lines were) lost, because this output could not be written: ", lines[0]);
        Assert.DoesNotContain('\0', string.Concat(lines));
        await broker.SignalAsync("TERM");
        Assert.Equal(0, await broker.WaitForExitAsync());
    }

    [Fact]
    public async Task A_log_that_is_opened_anew_after_it_was_full_is_written_again()
    {
        string log = Path.Combine(_folder.FullName, "log");
        await File.WriteAllTextAsync(log, new string('#', Limit - 100) + "\n", Ct);
        await using PeerProcess broker = StartLimited($"serve -p -1 -l {log} --ports_file_dir {_folder.FullName}");
        PortsFile ports = await PortsFile.WaitAsync(_folder.FullName, broker);
        await OffendAsync(ports);
        await Wait.UntilAsync(() => new FileInfo(log).Length == Limit);

        File.Move(log, log + ".1");
        await broker.SignalAsync("USR1");
        await Wait.UntilAsync(() => File.Exists(log));
        await OffendAsync(ports);

        await Wait.UntilAsync(() => File.ReadAllText(log).Contains("Unknown Protocol Operation", StringComparison.Ordinal));
        Assert.Equal(Limit, new FileInfo(log + ".1").Length);
        await broker.SignalAsync("TERM");
        Assert.Equal(0, await broker.WaitForExitAsync());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_stop_delivers_what_is_queued_though_nothing_can_be_said_of_it(bool stalls)
    {
        const int Messages = 200;
        const int Size = 50_000;
        // A full pipe without a reader, or a full device.
        string command = stalls
            ? $"mkfifo {_folder.FullName}/pipe; exec 3<>{_folder.FullName}/pipe; head -c 65536 /dev/zero >&3; exec \"$@\" >&3"
            : "exec \"$@\" >/dev/full";
        await using PeerProcess broker = StartBy("sh", ["-c", command, "sh"], $"serve -p -1 --ports_file_dir {_folder.FullName}");
        PortsFile ports = await PortsFile.WaitAsync(_folder.FullName, broker);
        int port = new Uri(ports.Nats[0]).Port;
        using RawConnection reader = await RawConnection.OpenAsync(port);
        await reader.SendAsync("CONNECT {\"verbose\":false}\r\nSUB a 1\r\nPING\r\n");
        // The server sends its first PING early and then none for two minutes, so the bytes can be counted exactly.
        if (!(await reader.ReadToAsync("PONG\r\n")).Contains("PING\r\n", StringComparison.Ordinal))
        {
            await reader.ReadToAsync("PING\r\n");
        }

        await reader.SendAsync("PONG\r\n");
        using RawConnection writer = await RawConnection.OpenAsync(port);
        string message = $"PUB a {Size.ToString(CultureInfo.InvariantCulture)}\r\n{new string('x', Size)}\r\n";
        await writer.SendAsync("CONNECT {\"verbose\":false}\r\n" + string.Concat(Enumerable.Repeat(message, Messages)) + "PING\r\n");
        await writer.ReadToAsync("PONG\r\n");

        await broker.SignalAsync("TERM");
        int received = await reader.CountToCloseAsync();

        Assert.Equal(0, await broker.WaitForExitAsync());
        Assert.Equal(Messages * ($"MSG a 1 {Size}\r\n".Length + Size + 2), received);
    }

    // With write-xor-execute, the limit would also apply to the runtime's own files.
    private static PeerProcess StartLimited(string arguments) => StartBy(
        "env",
        ["DOTNET_EnableWriteXorExecute=0", "prlimit", $"--fsize={Limit.ToString(CultureInfo.InvariantCulture)}"],
        arguments);

    private static PeerProcess StartBy(string program, string[] before, string arguments)
        => PeerProcess.Start("broker", program, [.. before, .. BrokerProgram.Command, .. arguments.Split(' ')]);

    // Causes a log line.
    private static async Task OffendAsync(PortsFile ports, bool ends = false)
    {
        try
        {
            using RawConnection client = await RawConnection.OpenAsync(new Uri(ports.Nats[0]).Port);
            await client.SendAsync("GARBAGE\r\n");
            await (ends ? client.ReadToCloseAsync() : client.ReadToAsync("-ERR"));
        }
        catch (System.Net.Sockets.SocketException) when (ends)
        {
            // The broker is stopping. It may close a new client without sending it an error.
        }
    }
}
