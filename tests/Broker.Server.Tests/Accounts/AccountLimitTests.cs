using Broker.Server.Tests.Harness;
using static Broker.Server.Tests.Accounts.Accounts;

namespace Broker.Server.Tests.Accounts;

/// <summary>The limits of an account apply to its own clients only, and a reload changes them.</summary>
public sealed class AccountLimitTests
{
    private const string Full = "-ERR 'maximum account active connections exceeded'\r\n";
    private const string TooManySubscriptions = "-ERR 'maximum subscriptions exceeded'\r\n";
    private const string TooLong = "-ERR 'Maximum Payload Violation'\r\n";

    private static AccountOptions Limited(int? connections = null, int? subscriptions = null, int? payload = null) => new("A")
    {
        Users = [new User("a", "a"), new User("a2", "a2")],
        MaxConnections = connections,
        MaxSubscriptions = subscriptions,
        MaxPayload = payload,
    };

    [Fact]
    public async Task A_client_beyond_the_maximum_of_its_account_is_refused_until_another_leaves()
    {
        await using BrokerServer server = await StartAsync(Limited(connections: 1), Account("B", "b"));
        using (RawClient first = Client(server, "a"))
        {
            using var second = RawClient.Open(server, As("a2"));
            Assert.Equal(Full, second.Sync());
            Assert.Equal("", second.ReadToEnd());
            using RawClient other = Client(server, "b");
            second.Dispose();
            await Wait.UntilAsync(
                async () => await ReasonsAsync(server) is ["Maximum Account Connections Exceeded"], "closed for this reason");
        }

        await Servers.UntilAsync(() => server.InspectAccounts().Single(a => a.Name == "A").Connections == 0, "left");
        using RawClient third = Client(server, "a2");
    }

    [Fact]
    public async Task A_client_that_may_come_without_credentials_counts_too()
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.Accounts = [Limited(connections: 1)];
            o.NoAuthUser = "a";
        });
        using var first = RawClient.Open(server);
        Assert.Equal("", first.Sync());
        using var second = RawClient.Open(server);
        Assert.Equal(Full, second.ReadLine());
    }

    [Fact]
    public async Task Each_client_may_have_so_many_subscriptions()
    {
        await using BrokerServer server = await StartAsync(Limited(subscriptions: 2), Account("B", "b"));
        using RawClient a = Client(server, "a", "SUB x 1\r\nSUB y 2\r\n");
        Assert.Equal(TooManySubscriptions, Say(a, "SUB z 3\r\n"));
        Assert.Equal("", Say(a, "UNSUB 1\r\nSUB z 3\r\n"));
        using RawClient a2 = Client(server, "a2", "SUB x 1\r\n");
        using RawClient b = Client(server, "b", "SUB x 1\r\nSUB y 2\r\nSUB z 3\r\n");
    }

    [Fact]
    public async Task Payloads_are_limited_from_the_CONNECT_on_and_INFO_says_so()
    {
        await using BrokerServer server = await StartAsync(Limited(payload: 5), Account("B", "b"));
        using RawClient b = Client(server, "b", "PUB x 6\r\n123456\r\n");
        using var a = RawClient.Open(server, As("a", ",\"protocol\":1"));
        Assert.Contains("\"max_payload\":5,", a.ReadLine(), StringComparison.Ordinal);
        Assert.Equal("", Say(a, "PUB x 5\r\n12345\r\n"));
        Assert.Equal(TooLong, Say(a, "PUB x 6\r\n123456\r\n"));
        Assert.Equal("", a.ReadToEnd());

        // The operations behind CONNECT in the same read have the limit too.
        using var together = RawClient.Open(server, As("a") + "PUB x 6\r\n123456\r\n");
        Assert.Equal(TooLong, together.ReadLine());
    }

    [Fact]
    public async Task A_payload_limit_above_that_of_the_server_has_no_effect()
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.MaxPayload = 5;
            o.MaxPending = 100_000;
            o.Accounts = [Limited(payload: 10)];
        });
        using RawClient a = Client(server, "a");
        Assert.Equal(TooLong, Say(a, "PUB x 6\r\n123456\r\n"));
    }

    [Fact]
    public async Task A_reload_closes_as_many_clients_as_are_too_many_those_that_came_last()
    {
        await using BrokerServer server = await StartAsync(Limited());
        RawClient[] clients = [.. Enumerable.Range(0, 8).Select(_ => Client(server, "a"))];
        await server.ReloadAsync(o => o.Accounts = [Limited(connections: 3)]);
        string[] heard = [.. clients.Select(c => c.Sync())];
        Assert.All(heard[..3], Assert.Empty);
        Assert.All(heard[3..], static h => Assert.Equal(Full, h));
        Array.ForEach(clients, c => c.Dispose());
    }

    [Fact]
    public async Task A_reload_limits_the_subscriptions_and_payloads_of_connected_clients()
    {
        await using BrokerServer server = await StartAsync(Limited());
        using RawClient two = Client(server, "a", "SUB x 1\r\nSUB y 2\r\n");
        using RawClient one = Client(server, "a2", "SUB x 1\r\n", ",\"protocol\":1");
        await server.ReloadAsync(o => o.Accounts = [Limited(subscriptions: 1, payload: 5)]);
        Assert.Equal(TooManySubscriptions, two.Sync());
        Assert.Contains("\"max_payload\":5,", one.ReadLine(), StringComparison.Ordinal);
        Assert.Equal(TooManySubscriptions, Say(one, "SUB y 2\r\n"));
        Assert.Equal(TooLong, Say(one, "PUB x 6\r\n123456\r\n"));
    }

    private static async Task<string?[]> ReasonsAsync(BrokerServer server)
    {
        ConnectionPage closed = await server.InspectConnectionsAsync(
            new ConnectionQuery { States = ConnectionStates.Closed }, TestContext.Current.CancellationToken);
        return [.. closed.Connections.Select(static c => c.Reason)];
    }
}
