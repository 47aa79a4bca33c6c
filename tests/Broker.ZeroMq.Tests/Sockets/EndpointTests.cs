using System.Net;
using System.Net.Sockets;
using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Foreign;

namespace Broker.ZeroMq.Tests.Sockets;

public sealed class EndpointTests
{
    [Theory]
    [InlineData("tcp://127.0.0.1:5556", "tcp://127.0.0.1:5556")]
    [InlineData("tcp://*:5556", "tcp://*:5556")]
    [InlineData("tcp://[::1]:5556", "tcp://[::1]:5556")]
    [InlineData("tcp://[0:0::1]:5556", "tcp://[::1]:5556")]
    [InlineData("tcp://a-host.example:5556", "tcp://a-host.example:5556")]
    [InlineData("tcp://127.0.0.1:*", "tcp://127.0.0.1:0")]
    [InlineData("tcp://127.0.0.1:0", "tcp://127.0.0.1:0")]
    [InlineData("ipc:///tmp/a b", "ipc:///tmp/a b")]
    [InlineData("ipc://@name", "ipc://@name")]
    [InlineData("ipc://*", "ipc://*")]
    [InlineData("inproc://a name", "inproc://a name")]
    [InlineData("tcp://eth0:*", "tcp://eth0:0")]
    [InlineData("tcp://[fe80::1%7]:5556", "tcp://[fe80::1%7]:5556")]
    [InlineData("tcp://127.0.0.1:0;127.0.0.1:5556", "tcp://127.0.0.1:0;127.0.0.1:5556")]
    [InlineData("tcp://eth0:*;[::1]:5556", "tcp://eth0:0;[::1]:5556")]
    public void An_endpoint_is_parsed(string text, string shown) => Assert.Equal(shown, ZeroMqEndpoint.Parse(text).ToString());

    [Theory]
    [InlineData("", "empty")]
    [InlineData("127.0.0.1:5556", "must begin with tcp://, ipc:// or inproc://")]
    [InlineData("udp://x", "must begin with tcp://, ipc:// or inproc://")]
    [InlineData("inproc://", "name is missing")]
    [InlineData("tcp://127.0.0.1", "port is missing")]
    [InlineData("tcp://[::1]", "port is missing")]
    [InlineData("tcp://127.0.0.1:65536", "0 to 65535")]
    [InlineData("tcp://127.0.0.1:-1", "0 to 65535")]
    [InlineData("tcp://127.0.0.1: 1", "0 to 65535")]
    [InlineData("tcp://:5556", "host is missing")]
    [InlineData("tcp://::1:5556", "brackets")]
    [InlineData("tcp://[127.0.0.1]:5556", "must contain an IPv6 address")]
    [InlineData("tcp://a b:5556", "the host must be an address or a name")]
    [InlineData("tcp://127.0.0.1;127.0.0.1:5556", "in the source address before the semicolon, the port is missing")]
    [InlineData("tcp://127.0.0.1:0;127.0.0.1", "the port is missing")]
    [InlineData("tcp://127.0.0.1:0;127.0.0.1:1;127.0.0.1:2", "brackets")]
    [InlineData("ipc://", "path")]
    [InlineData("ipc:///0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567", "103 octets")]
    public void An_invalid_endpoint_is_refused_with_the_reason(string text, string reason)
        => Assert.Contains(reason, Assert.Throws<FormatException>(() => ZeroMqEndpoint.Parse(text)).Message, StringComparison.Ordinal);

    [Fact]
    public async Task A_wildcard_cannot_be_connected_to()
    {
        await using var rig = new Rig();
        Assert.Throws<FormatException>(() => rig.Subscriber().Connect("tcp://*:5556"));
        Assert.Throws<FormatException>(() => rig.Subscriber().Connect("tcp://127.0.0.1:0"));
        Assert.Throws<FormatException>(() => rig.Subscriber().Connect("ipc://*"));
    }

    [Fact]
    public async Task A_source_address_can_only_be_used_to_connect()
    {
        await using var rig = new Rig();
        FormatException error = Assert.Throws<FormatException>(() => rig.Publisher().Bind("tcp://127.0.0.1:0;127.0.0.1:5556"));
        Assert.Contains("source address", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_connection_uses_the_given_source_address_and_port_also_after_a_reconnect()
    {
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher();
        ZeroMqEndpoint endpoint = publisher.Bind("tcp://127.0.0.1:*");
        int free = FreePort.Next();
        LoopSubscriber subscriber = rig.Subscriber(o => o with { OnEvent = null });
        subscriber.Connect($"tcp://127.0.0.2:{free};127.0.0.1:{endpoint.Port}");
        for (int i = 0; i < 3; i++)
        {
            ZeroMqEvent connected = await rig.EventAsync(ZeroMqEventKind.PeerConnected);
            Assert.Equal($"tcp://127.0.0.2:{free}", connected.Address);
            connected.Peer!.Close("again");
        }
    }

    [Fact]
    public async Task An_interface_is_bound_to_by_its_name()
    {
        if (!OperatingSystem.IsLinux())
        {
            return;
        }

        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher();
        Assert.Null(publisher.LastEndpoint);
        ZeroMqEndpoint bound = publisher.Bind("tcp://lo:*");
        Assert.Equal("127.0.0.1", bound.Host);
        Assert.Equal(bound, publisher.LastEndpoint);
        LoopSubscriber subscriber = rig.Subscriber();
        subscriber.Connect($"tcp://lo:0;{bound.Host}:{bound.Port}");
        await rig.EventAsync(ZeroMqEventKind.PeerConnected);
        Assert.Equal($"tcp://lo:0;127.0.0.1:{bound.Port}", subscriber.LastEndpoint!.ToString());
        ZeroMqBindException error = Assert.Throws<ZeroMqBindException>(() => rig.Publisher().Bind("tcp://no-such-interface.invalid:*"));
        Assert.Contains("no-such-interface", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("ipc://*", true)]
    [InlineData("ipc://*", false)]
    [InlineData("ipc://@", true)]
    [InlineData("ipc://@", false)]
    [InlineData("tcp://[::1]:*", true)]
    [InlineData("tcp://[::1]:*", false)]
    [InlineData("tcp://lo:*", true)]
    [InlineData("tcp://lo:*", false)]
    public async Task Libzmq_connects_with_the_same_endpoint_whoever_binds(string endpoint, bool weBind)
    {
        if (!OperatingSystem.IsLinux())
        {
            return;
        }

        await using var rig = new Rig();
        await using var host = ForeignHost.Take();
        ForeignSocket peer = await host.SocketAsync("SUB", ("IPV6", 1));
        LoopPublisher publisher = rig.Publisher();
        if (endpoint == "ipc://@")
        {
            endpoint += Guid.NewGuid().ToString("N");
        }

        if (weBind)
        {
            await peer.ConnectAsync(publisher.Bind(endpoint).ToString());
        }
        else
        {
            // libzmq binds a name to an IPv6 address if IPv6 is enabled.
            await peer.SetAsync("IPV6", endpoint.Contains("::", StringComparison.Ordinal) ? 1 : 0);
            publisher.Connect(await peer.BindAsync(endpoint));
        }

        await peer.SubscribeAsync();
        await rig.InterestAsync("+");
        Assert.Equal(1, await rig.PublishAsync(publisher, [1, 2, 3]));
        Assert.Equal("""["010203"]""", await peer.ReceiveAsync());
    }

    [Fact]
    public async Task The_chosen_path_is_returned_and_removed_with_the_socket()
    {
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher();
        ZeroMqEndpoint bound = publisher.Bind("ipc://*");
        Assert.True(File.Exists(bound.Path));
        Assert.NotEqual(bound.ToString(), publisher.Bind("ipc://*").ToString());
        await publisher.CloseAsync(TimeSpan.Zero);
        Assert.False(File.Exists(bound.Path));
    }

    [Theory]
    [InlineData("tcp://127.0.0.1:*", "tcp://127.0.0.1:")]
    [InlineData("tcp://*:*", "tcp://0.0.0.0:")]
    [InlineData("tcp://localhost:0", "tcp://127.0.0.1:")]
    public async Task The_chosen_port_is_returned(string asked, string begins)
    {
        await using var rig = new Rig();
        ZeroMqEndpoint bound = rig.Publisher().Bind(asked);
        Assert.StartsWith(begins, bound.ToString(), StringComparison.Ordinal);
        Assert.NotEqual(0, bound.Port);
        Assert.Equal(bound.ToString(), (await rig.EventAsync(ZeroMqEventKind.Listening)).Endpoint);
    }

    [Fact]
    public async Task An_address_in_use_is_a_clear_error()
    {
        await using var rig = new Rig();
        string bound = rig.Publisher().Bind("tcp://127.0.0.1:*").ToString();
        ZeroMqBindException error = Assert.Throws<ZeroMqBindException>(() => rig.Publisher().Bind(bound));
        Assert.Equal($"Cannot bind to {bound}: the address is already in use.", error.Message);
    }

    [Fact]
    public async Task An_unbound_endpoint_is_free_again()
    {
        await using var rig = new Rig();
        LoopPublisher first = rig.Publisher();
        string bound = first.Bind(FreePort.NextAddress()).ToString();
        Assert.True(first.Unbind(bound));
        Assert.False(first.Unbind(bound));
        rig.Publisher().Bind(bound);
    }

    [Fact]
    public async Task The_socket_file_of_a_dead_process_is_replaced_and_others_are_kept()
    {
        await using var rig = new Rig();
        string directory = Directory.CreateTempSubdirectory("zmq").FullName;
        string path = Path.Combine(directory, "socket");
        LeaveStaleFile(path);
        Assert.True(File.Exists(path));

        LoopPublisher first = rig.Publisher();
        first.Bind("ipc://" + path);
        Assert.Throws<ZeroMqBindException>(() => rig.Publisher().Bind("ipc://" + path));
        Assert.True(first.Unbind("ipc://" + path));
        Assert.False(File.Exists(path));

        await File.WriteAllTextAsync(path, "", TestContext.Current.CancellationToken);
        Assert.Throws<ZeroMqBindException>(() => rig.Publisher().Bind("ipc://" + path));
        Assert.True(File.Exists(path));
        Directory.Delete(directory, recursive: true);
    }

    // Bound under another name, so that closing the socket does not remove the file, as after a killed process.
    private static void LeaveStaleFile(string path)
    {
        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        EndPoint first = new UnixDomainSocketEndPoint(path + ".first");
        socket.Bind(first);
        socket.Listen();
        File.Move(path + ".first", path);
    }
}
