using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Serving;

/// <summary>Tests the command with inherited sockets, as a socket unit of systemd opens them.</summary>
public sealed class SocketActivationTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("activation-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public async Task The_broker_serves_at_the_sockets_that_it_is_given_and_not_at_its_own_address()
    {
        int own = FreePort.Next();
        string path = Path.Combine(_folder.FullName, "nats.sock");
        await using ActivatedProgram broker = await OpenAsync(["tcp=127.0.0.1", "unix=" + path], "-p", own.ToString(CultureInfo.InvariantCulture));
        await broker.StartAsync();

        using Socket subscriber = await ConnectAsync(IPEndPoint.Parse(broker.Addresses[0]));
        using Socket publisher = await ConnectAsync(new UnixDomainSocketEndPoint(broker.Addresses[1]));
        await SendAsync(subscriber, "CONNECT {\"verbose\":false}\r\nSUB a 1\r\nPING\r\n");
        await ReadToAsync(subscriber, "PONG\r\n");
        await SendAsync(publisher, "CONNECT {\"verbose\":false}\r\nPUB a 2\r\nhi\r\n");

        await ReadToAsync(subscriber, "MSG a 1 2\r\nhi\r\n");
        await Assert.ThrowsAsync<SocketException>(() => ConnectAsync(new IPEndPoint(IPAddress.Loopback, own)));
        // The broker has written this line already, but another thread of the test reads it.
        const string Said = "in place of \"listen\" and \"port\": descriptor 3 (port0), descriptor 4 (port1)";
        await Wait.UntilAsync(() => broker.Errors.Contains(Said, StringComparison.Ordinal), () => broker.Errors);
        await broker.SignalAsync("TERM");
        Assert.Equal(0, await broker.WaitForExitAsync());
    }

    [Fact]
    public async Task Who_comes_while_the_broker_is_started_again_is_served_by_the_next()
    {
        await using ActivatedProgram broker = await OpenAsync(["tcp=127.0.0.1"]);
        await broker.StartAsync();
        var address = IPEndPoint.Parse(broker.Addresses[0]);
        using (Socket first = await ConnectAsync(address))
        {
            await ReadToAsync(first, "INFO ");
            await broker.SignalAsync("TERM");
            Assert.Equal(0, await broker.WaitForExitAsync());
        }

        using Socket early = await ConnectAsync(address);
        await SendAsync(early, "CONNECT {\"verbose\":false}\r\nPING\r\n");
        await broker.StartAsync();

        await ReadToAsync(early, "PONG\r\n");
    }

    [Fact]
    public async Task A_socket_that_nobody_can_connect_to_ends_the_start_and_is_named()
    {
        await using ActivatedProgram broker = await OpenAsync(["tcp=127.0.0.1", "udp=127.0.0.1"]);

        await broker.StartAsync();

        Assert.Equal(1, await broker.WaitForExitAsync());
        const string Expected = "cannot listen on descriptor 4 (port1): it is not a listening stream socket (a socket unit of systemd needs ListenStream= and Accept=no)";
        await Wait.UntilAsync(() => broker.Errors.Contains(Expected, StringComparison.Ordinal), () => broker.Errors);
    }

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    private static Task<ActivatedProgram> OpenAsync(string[] sockets, params string[] flags)
        => ActivatedProgram.OpenAsync(sockets, [.. BrokerProgram.Command, "serve", "-q", .. flags]);

    private static async Task<Socket> ConnectAsync(EndPoint address)
    {
        var socket = new Socket(address.AddressFamily, SocketType.Stream, address is IPEndPoint ? ProtocolType.Tcp : ProtocolType.Unspecified);
        await socket.ConnectAsync(address, Ct);
        return socket;
    }

    private static async Task SendAsync(Socket socket, string text) => await socket.SendAsync(Encoding.ASCII.GetBytes(text), Ct);

    private static async Task ReadToAsync(Socket socket, string end)
    {
        var text = new StringBuilder();
        byte[] buffer = new byte[4096];
        while (!text.ToString().Contains(end, StringComparison.Ordinal))
        {
            int count = await Wait.For(socket.ReceiveAsync(buffer, Ct).AsTask());
            Assert.True(count > 0, $"closed after: {text}");
            text.Append(Encoding.ASCII.GetString(buffer, 0, count));
        }
    }
}
