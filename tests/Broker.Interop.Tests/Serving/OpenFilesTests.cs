using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Serving;

/// <summary>Tests a process with a limit of open files while many connections are opened to it.</summary>
public sealed class OpenFilesTests : IDisposable
{
    private const int Files = 400;

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("files-");

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public async Task HTTP_and_NATS_share_what_may_be_open_and_both_serve_again_when_there_is_room()
    {
        await using var broker = PeerProcess.Start(
            "broker", "prlimit",
            [
                $"--nofile={Files.ToString(CultureInfo.InvariantCulture)}", .. BrokerProgram.Command,
                "serve", "-p", "-1", "-m", "-1", "--ports_file_dir", _folder.FullName,
            ]);
        PortsFile ports = await PortsFile.WaitAsync(_folder.FullName, broker);
        int port = new Uri(ports.Nats[0]).Port;
        string line = await broker.ReadLineWithAsync("Monitoring:");
        var pages = new Uri(line[line.IndexOf("http", StringComparison.Ordinal)..]);
        using RawConnection old = await RawConnection.OpenAsync(port);
        await old.SendAsync("CONNECT {\"verbose\":false}\r\nPING\r\n");
        await old.ReadToAsync("PONG\r\n");
        var silent = new List<Socket>();
        try
        {
            for (int i = 0; i < Files + 50; i++)
            {
                silent.Add(await ConnectAsync(port));
            }

            for (int i = 0; i < 50; i++)
            {
                silent.Add(await ConnectAsync(pages.Port));
            }

            using var process = Process.GetProcessById(broker.Id);
            TimeSpan before = process.TotalProcessorTime;
            await Task.Delay(TimeSpan.FromSeconds(2), Ct);
            process.Refresh();
            // Without a free descriptor, the accept loops must not spin. The server must also keep one descriptor free.
            Assert.InRange(process.TotalProcessorTime - before, TimeSpan.Zero, TimeSpan.FromSeconds(1));
            Assert.InRange(Directory.GetFileSystemEntries($"/proc/{broker.Id}/fd").Length, 0, Files - 1);
            await old.SendAsync("PING\r\n");
            await old.ReadToAsync("PONG\r\n");
        }
        finally
        {
            silent.ForEach(static s => s.Dispose());
        }

        using var http = new HttpClient();
        await Wait.UntilAsync(() => IsAnsweredAsync(http, new Uri(pages, "/healthz")));
        using RawConnection newcomer = await RawConnection.OpenAsync(port);
        await newcomer.ReadToAsync("INFO {");
        await broker.SignalAsync("TERM");
        Assert.Equal(0, await broker.WaitForExitAsync());
    }

    [Fact]
    public async Task A_bridge_alone_says_once_that_its_files_are_used_up_and_serves_again_when_there_is_room()
    {
        string publishers = FreePort.NextAddress();
        string subscribers = FreePort.NextAddress();
        var pages = new Uri($"http://127.0.0.1:{FreePort.Next()}");
        await using BrokerProcess broker = await BrokerProcess.StartAsync(-1);
        await using var bridge = PeerProcess.Start(
            "bridge", "prlimit",
            [
                $"--nofile={Files.ToString(CultureInfo.InvariantCulture)}", .. BrokerProgram.Command,
                "bridge", "-s", broker.Url, "-m", pages.Port.ToString(CultureInfo.InvariantCulture), "--route", $"pattern: pubsub, publishers: \"{publishers}\", subscribers: \"{subscribers}\"",
            ]);
        int port = new Uri(subscribers).Port;
        using var http = new HttpClient();
        // The bridge serves its metrics page in the last step of its start.
        await Wait.UntilAsync(() => IsAnsweredAsync(http, new Uri(pages, "/metrics")), () => bridge.Errors);
        var silent = new List<Socket>();
        try
        {
            for (int i = 0; i < Files + 50; i++)
            {
                silent.Add(await ConnectAsync(port));
            }

            await Wait.UntilAsync(() => Count(bridge) > 0, () => $"the log does not report the lack of descriptors:\n{bridge.Errors}");
        }
        finally
        {
            silent.ForEach(static s => s.Dispose());
        }

        await Wait.UntilAsync(() => IsGreetedAsync(port), () => bridge.Errors);
        Assert.Matches("\nbroker_bridge_connections_refused_total [1-9][0-9]*\n", await http.GetStringAsync(new Uri(pages, "/metrics"), Ct));
        await bridge.SignalAsync("TERM");
        Assert.Equal(0, await bridge.WaitForExitAsync());
        Assert.Equal(1, Count(bridge));
    }

    private static int Count(PeerProcess process) => process.Errors.Split("Out of file descriptors").Length - 1;

    // A ZeroMQ endpoint sends its greeting first.
    private static async Task<bool> IsGreetedAsync(int port)
    {
        try
        {
            using Socket socket = await ConnectAsync(port);
            byte[] first = new byte[1];
            return await Wait.For(socket.ReceiveAsync(first, Ct).AsTask()) == 1 && first[0] == 0xff;
        }
        catch (SocketException)
        {
            return false;
        }
    }

    private static async Task<Socket> ConnectAsync(int port)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            await socket.ConnectAsync(IPAddress.Loopback, port, Ct);
        }
        catch (SocketException e) when (e.SocketErrorCode == SocketError.ConnectionReset)
        {
            // The server closed the connection before ConnectAsync returned.
        }

        return socket;
    }

    private static async Task<bool> IsAnsweredAsync(HttpClient http, Uri page)
    {
        try
        {
            return (await http.GetAsync(page, Ct)).StatusCode == HttpStatusCode.OK;
        }
        catch (HttpRequestException)
        {
            // The server closed the connection at once, because no descriptor is free yet.
            return false;
        }
    }
}
