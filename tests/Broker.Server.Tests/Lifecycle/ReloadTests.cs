using Broker.Server.Tests.Harness;

namespace Broker.Server.Tests.Lifecycle;

public sealed class ReloadTests
{
    private const string Informed = "CONNECT {\"verbose\":false,\"pedantic\":false,\"protocol\":1}\r\n";

    [Fact]
    public async Task Changed_limits_apply_to_the_documented_clients()
    {
        await using BrokerServer server = await Servers.StartAsync();
        using var before = RawClient.Open(server);
        before.Send("SUB a 1\r\nSUB b 2\r\n");
        before.Sync();

        await server.ReloadAsync(o =>
        {
            o.MaxSubscriptions = 1;
            o.MaxPayload = 10;
            o.MaxConnections = 2;
        });

        Assert.Equal("", before.Sync());
        before.Send("SUB c 3\r\n");
        Assert.Equal("-ERR 'maximum subscriptions exceeded'\r\n", before.Sync());
        before.Send("PUB a 11\r\nhello world\r\n");
        Assert.Equal("hello world"u8, before.ReadMessage().Payload);
        using var after = new RawClient(server.EndPoints[0]);
        Assert.Contains("\"max_payload\":10,", after.ReadLine(), StringComparison.Ordinal);
        after.Send(RawClient.Quiet + "PUB a 11\r\nhello world\r\n");
        Assert.Equal("-ERR 'Maximum Payload Violation'\r\n", after.ReadToEnd());
        using var second = RawClient.Open(server);
        second.Sync();
        using var third = new RawClient(server.EndPoints[0]);
        Assert.StartsWith("INFO {", third.ReadLine(), StringComparison.Ordinal);
        Assert.Equal("-ERR 'maximum connections exceeded'\r\n", third.ReadToEnd());
    }

    [Fact]
    public async Task A_changed_address_is_sent_to_clients_that_accept_another_INFO()
    {
        await using BrokerServer server = await Servers.StartAsync();
        using var told = RawClient.Open(server, Informed);
        told.Sync();
        using var old = RawClient.Open(server);
        old.Sync();

        await server.ReloadAsync(o =>
        {
            o.ClientAdvertise = "example.org:4333";
            o.ConnectUrls = ["a:1", "[::1]:2"];
        });

        string info = told.ReadLine();
        Assert.Contains("\"host\":\"example.org\",\"port\":4333,", info, StringComparison.Ordinal);
        Assert.Contains("\"connect_urls\":[\"a:1\",\"[::1]:2\"]", info, StringComparison.Ordinal);
        Assert.Equal("", old.Sync());
        await server.ReloadAsync(o => o.PingMax = 3);
        Assert.Equal("", told.Sync());
    }

    [Fact]
    public async Task A_reload_with_a_fixed_or_invalid_option_changes_nothing()
    {
        await using BrokerServer server = await Servers.StartAsync(o => o.MaxPayload = 100);
        await Assert.ThrowsAsync<ArgumentException>(() => server.ReloadAsync(o => o.ServerName = "other"));
        await Assert.ThrowsAsync<ArgumentException>(() => server.ReloadAsync(o => o.Listen(0)));
        await Assert.ThrowsAsync<ArgumentException>(() => server.ReloadAsync(o => o.Logger = new LogCapture()));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => server.ReloadAsync(o =>
        {
            o.MaxPayload = 200;
            o.PingMax = 0;
        }));
        await Assert.ThrowsAsync<ArgumentException>(() => server.ReloadAsync(o => o.ConnectUrls = ["nonsense"]));
        using var client = new RawClient(server.EndPoints[0]);
        Assert.Contains("\"max_payload\":100,", client.ReadLine(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_client_may_have_so_many_subscriptions_and_no_more()
    {
        var log = new LogCapture();
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.MaxSubscriptions = 2;
            o.Logger = log;
        });
        using var client = RawClient.Open(server);
        client.Send("SUB a 1\r\nSUB b 2\r\nSUB c 3\r\nSUB b 2\r\n");
        // As with nats-server, a client that is connected already is refused too.
        Assert.Equal(string.Concat(Enumerable.Repeat("-ERR 'maximum subscriptions exceeded'\r\n", 2)), client.Sync());
        client.Send("UNSUB 1\r\nSUB c 3\r\nPUB c 1\r\nx\r\n");
        Assert.Equal(["MSG", "c", "3", "1"], client.ReadMessage().Words);
        Assert.Single(log.Warnings, w => w.Contains("maximum subscriptions", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Several_servers_in_one_process_share_nothing()
    {
        await using BrokerServer one = await Servers.StartAsync(o => o.MaxSubscriptions = 1);
        await using BrokerServer other = await Servers.StartAsync();
        using var here = RawClient.Open(one);
        using var there = RawClient.Open(other);
        here.Send("SUB a 1\r\n");
        there.Send("SUB a 1\r\nSUB b 2\r\n");
        Assert.Equal("", here.Sync());
        Assert.Equal("", there.Sync());
        here.Send("PUB a 4\r\nhere\r\n");
        Assert.Equal("here"u8, here.ReadMessage().Payload);
        Assert.Equal("", there.Sync());
        await one.DisposeAsync();
        there.Send("PUB a 5\r\nthere\r\n");
        Assert.Equal("there"u8, there.ReadMessage().Payload);
        Assert.NotEqual(one.Name, other.Name);
    }
}
