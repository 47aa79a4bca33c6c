using System.Net;
using System.Net.Sockets;
using Broker.ZeroMq.Endpoints;
using Broker.ZeroMq.Sockets;

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
    public void An_endpoint_is_parsed(string text, string shown) => Assert.Equal(shown, ZeroMqEndpoint.Parse(text).ToString());

    [Theory]
    [InlineData("", "empty")]
    [InlineData("127.0.0.1:5556", "neither tcp:// nor ipc://")]
    [InlineData("inproc://x", "neither tcp:// nor ipc://")]
    [InlineData("tcp://127.0.0.1", "port is missing")]
    [InlineData("tcp://[::1]", "port is missing")]
    [InlineData("tcp://127.0.0.1:65536", "0 to 65535")]
    [InlineData("tcp://127.0.0.1:-1", "0 to 65535")]
    [InlineData("tcp://127.0.0.1: 1", "0 to 65535")]
    [InlineData("tcp://:5556", "host is missing")]
    [InlineData("tcp://::1:5556", "brackets")]
    [InlineData("tcp://[127.0.0.1]:5556", "no IPv6 address")]
    [InlineData("tcp://a b:5556", "neither an address nor a name")]
    [InlineData("tcp://127.0.0.1:0;127.0.0.1:5556", "source addresses")]
    [InlineData("ipc://", "path")]
    [InlineData("ipc://*", "path")]
    [InlineData("ipc:///0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567", "103 octets")]
    public void What_is_no_endpoint_is_refused_with_the_reason(string text, string reason) =>
        Assert.Contains(reason, Assert.Throws<FormatException>(() => ZeroMqEndpoint.Parse(text)).Message, StringComparison.Ordinal);

    [Fact]
    public async Task A_wildcard_cannot_be_connected_to()
    {
        await using var rig = new Rig();
        Assert.Throws<FormatException>(() => rig.Subscriber().Connect("tcp://*:5556"));
        Assert.Throws<FormatException>(() => rig.Subscriber().Connect("tcp://127.0.0.1:0"));
    }

    [Theory]
    [InlineData("tcp://127.0.0.1:*", "tcp://127.0.0.1:")]
    [InlineData("tcp://*:*", "tcp://0.0.0.0:")]
    [InlineData("tcp://localhost:0", "tcp://127.0.0.1:")]
    public async Task The_port_that_was_chosen_is_told(string asked, string begins)
    {
        await using var rig = new Rig();
        var bound = rig.Publisher().Bind(asked);
        Assert.StartsWith(begins, bound.ToString(), StringComparison.Ordinal);
        Assert.NotEqual(0, bound.Port);
        Assert.Equal(bound.ToString(), (await rig.EventAsync(ZeroMqEventKind.Listening)).Endpoint);
    }

    [Fact]
    public async Task An_address_in_use_is_a_clear_error()
    {
        await using var rig = new Rig();
        string bound = rig.Publisher().Bind("tcp://127.0.0.1:*").ToString();
        var error = Assert.Throws<ZeroMqBindException>(() => rig.Publisher().Bind(bound));
        Assert.Equal($"Cannot bind to {bound}: the address is already in use.", error.Message);
    }

    [Fact]
    public async Task An_unbound_endpoint_is_free_again()
    {
        await using var rig = new Rig();
        var first = rig.Publisher();
        string bound = first.Bind("tcp://127.0.0.1:*").ToString();
        Assert.True(first.Unbind(bound));
        Assert.False(first.Unbind(bound));
        rig.Publisher().Bind(bound);
    }

    [Fact]
    public async Task The_file_of_a_dead_process_is_replaced_and_others_are_kept()
    {
        await using var rig = new Rig();
        string directory = Directory.CreateTempSubdirectory("zmq").FullName;
        string path = Path.Combine(directory, "socket");
        LeaveStaleFile(path);
        Assert.True(File.Exists(path));

        var first = rig.Publisher();
        first.Bind("ipc://" + path);
        Assert.Throws<ZeroMqBindException>(() => rig.Publisher().Bind("ipc://" + path));
        Assert.True(first.Unbind("ipc://" + path));
        Assert.False(File.Exists(path));

        await File.WriteAllTextAsync(path, "", TestContext.Current.CancellationToken);
        Assert.Throws<ZeroMqBindException>(() => rig.Publisher().Bind("ipc://" + path));
        Assert.True(File.Exists(path));
        Directory.Delete(directory, recursive: true);
    }

    // Bound under another name, so that closing it does not remove the file: what a killed process leaves behind.
    private static void LeaveStaleFile(string path)
    {
        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        EndPoint first = new UnixDomainSocketEndPoint(path + ".first");
        socket.Bind(first);
        socket.Listen();
        File.Move(path + ".first", path);
    }
}
