using System.Net;
using System.Net.Sockets;
using System.Text.Json;
using Broker.Server.Tests.Harness;
using Broker.Transport;

namespace Broker.Server.Tests.Starting;

public sealed class StartTests
{
    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_taken_port_is_said_with_its_address()
    {
        await using BrokerServer first = await Servers.StartAsync();
        var taken = (IPEndPoint)first.EndPoints[0];
        ListenException e = await Assert.ThrowsAsync<ListenException>(() => BrokerServer.StartAsync(o => o.Listen(taken), Ct));
        Assert.Equal($"cannot listen on {taken}: the address is already in use", e.Message);
        Assert.Equal(taken, e.EndPoint);
        Assert.Equal(SocketError.AddressAlreadyInUse, e.Error);
        using var client = RawClient.Open(first);
        Assert.Equal("", client.Sync());
    }

    [Fact]
    public async Task Addresses_are_released_if_a_later_port_is_in_use()
    {
        await using BrokerServer first = await Servers.StartAsync();
        int free;
        await using (BrokerServer passing = await Servers.StartAsync())
        {
            free = ((IPEndPoint)passing.EndPoints[0]).Port;
        }

        await Assert.ThrowsAsync<ListenException>(() => BrokerServer.StartAsync(o => o.Listen(free).Listen(first.EndPoints[0]), Ct));
        await using BrokerServer again = await BrokerServer.StartAsync(o => o.Listen(free), Ct);
        Assert.Equal(free, ((IPEndPoint)again.EndPoints[0]).Port);
    }

    [Fact]
    public async Task The_error_names_an_address_of_another_machine()
    {
        var foreign = new IPEndPoint(IPAddress.Parse("192.0.2.1"), 0);
        ListenException e = await Assert.ThrowsAsync<ListenException>(() => BrokerServer.StartAsync(o => o.Listen(foreign), Ct));
        Assert.Equal("cannot listen on 192.0.2.1:0: this machine has no such address", e.Message);
    }

    public static TheoryData<string, Action<BrokerServerOptions>> Wrong => new()
    {
        { "MaxPayload", o => o.MaxPayload = 0 },
        { "MaxPayload", o => o.MaxPayload = int.MaxValue },
        { "MaxControlLine", o => o.MaxControlLine = 63 },
        { "MaxControlLine", o => o.MaxControlLine = 1024 * 1024 + 1 },
        { "MaxPending", o => o.MaxPending = o.MaxPayload - 1 },
        { "MaxConnections", o => o.MaxConnections = 0 },
        { "PingMax", o => o.PingMax = 0 },
        { "PingInterval", o => o.PingInterval = TimeSpan.Zero },
        { "WriteDeadline", o => o.WriteDeadline = TimeSpan.Zero },
        { "LoopOptions", o => o.LoopOptions = null! },
        { "Logger", o => o.Logger = null! },
    };

    [Theory]
    [MemberData(nameof(Wrong), DisableDiscoveryEnumeration = true)]
    public async Task An_option_out_of_range_is_named(string option, Action<BrokerServerOptions> spoil)
    {
        ArgumentException e = await Assert.ThrowsAnyAsync<ArgumentException>(() => BrokerServer.StartAsync(spoil, Ct));
        Assert.Equal(option, e.ParamName);
    }

    [Fact]
    public async Task Options_are_copied_at_the_start()
    {
        BrokerServerOptions options = new BrokerServerOptions().Listen(0);
        await using BrokerServer server = await BrokerServer.StartAsync(options, Ct);
        options.MaxPayload = 1;
        options.MaxConnections = 0;
        using var client = new RawClient(server.EndPoints[0]);
        Assert.Contains("\"max_payload\":1048576", client.ReadLine(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_cancelled_start_starts_nothing()
        => await Assert.ThrowsAnyAsync<OperationCanceledException>(() => BrokerServer.StartAsync(o => o.Listen(0), new CancellationToken(canceled: true)));

    [Theory]
    [InlineData("127.0.0.1")]
    [InlineData("::1")]
    [InlineData("::")]
    public async Task INFO_has_the_shape_that_clients_know(string address)
    {
        Assert.SkipWhen(address.Contains(':', StringComparison.Ordinal) && !Socket.OSSupportsIPv6, "no IPv6 here");
        await using BrokerServer server = await BrokerServer.StartAsync(
            o => { o.Listen(new IPEndPoint(IPAddress.Parse(address), 0)); o.ServerName = "n"; }, Ct);
        int port = ((IPEndPoint)server.EndPoints[0]).Port;
        using var client = new RawClient(new IPEndPoint(address == "::" ? IPAddress.IPv6Loopback : IPAddress.Parse(address), port));
        string info = client.ReadLine();
        Assert.StartsWith("INFO {", info, StringComparison.Ordinal);
        Assert.EndsWith("} \r\n", info, StringComparison.Ordinal);
        using var json = JsonDocument.Parse(info[5..]);
        JsonElement root = json.RootElement;
        Assert.Equal(56, root.GetProperty("server_id").GetString()!.Length);
        Assert.Equal("n", root.GetProperty("server_name").GetString());
        Assert.StartsWith("2.9.", root.GetProperty("version").GetString(), StringComparison.Ordinal);
        Assert.Equal(1, root.GetProperty("proto").GetInt32());
        Assert.Equal(address, root.GetProperty("host").GetString());
        Assert.Equal(port, root.GetProperty("port").GetInt32());
        Assert.True(root.GetProperty("headers").GetBoolean());
        Assert.Equal(1024 * 1024, root.GetProperty("max_payload").GetInt32());
        Assert.True(root.GetProperty("client_id").GetUInt64() > 0);
        Assert.NotEmpty(root.GetProperty("client_ip").GetString()!);
    }

    [Fact]
    public async Task A_Unix_socket_serves_too_and_its_file_goes_with_the_server()
    {
        DirectoryInfo folder = Directory.CreateTempSubdirectory("server-tests-");
        try
        {
            string path = Path.Combine(folder.FullName, "s");
            await using (BrokerServer server = await BrokerServer.StartAsync(o => o.Listen(new UnixDomainSocketEndPoint(path)), Ct))
            {
                using var client = RawClient.Open(server);
                client.Send("SUB a 1\r\nPUB a 2\r\nhi\r\n");
                Assert.Equal("MSG a 1 2\r\nhi\r\n", client.Sync());
                ListenException e = await Assert.ThrowsAsync<ListenException>(
                    () => BrokerServer.StartAsync(o => o.Listen(new UnixDomainSocketEndPoint(path)), Ct));
                Assert.Contains("already in use", e.Message, StringComparison.Ordinal);
            }

            Assert.False(File.Exists(path));
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    [Fact]
    public async Task Several_servers_in_one_process_share_nothing()
    {
        await using BrokerServer one = await Servers.StartAsync();
        await using BrokerServer two = await Servers.StartAsync();
        using var a = RawClient.Open(one);
        using var b = RawClient.Open(two);
        a.Send("SUB > 1\r\n");
        b.Send("SUB > 1\r\n");
        a.Sync();
        b.Send("PUB x 1\r\nb\r\n");
        Assert.Equal("MSG x 1 1\r\nb\r\n", b.Sync());
        Assert.Equal("", a.Sync());
        Assert.NotEqual(one.Name, two.Name);
        Assert.Equal(1, one.Snapshot().Subscriptions);
        Assert.Equal(0, one.Snapshot().MessagesIn);
        Assert.Equal(1, two.Snapshot().MessagesOut);
    }
}
