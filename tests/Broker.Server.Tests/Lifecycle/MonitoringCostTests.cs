using System.Globalization;
using System.Text;
using Broker.Server.Tests.Harness;
using Broker.Transport;

namespace Broker.Server.Tests.Lifecycle;

/// <summary>Who looks at a server costs its clients nothing to speak of.</summary>
public sealed class MonitoringCostTests
{
    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public async Task An_event_of_a_client_that_comes_or_goes_looks_at_no_others()
    {
        const int Clients = 1000;
        await using BrokerServer server = await Accounts.Accounts.StartAsync(
            Accounts.Accounts.Account("$SYS", "sys"), Accounts.Accounts.Account("A", "a"));
        using RawClient sys = Accounts.Accounts.Client(server, "sys", "SUB $SYS.> 1\r\n");
        // In process: a thousand sockets are not needed for it.
        var clients = new List<Connection>();
        IDialer dialer = server.CreateDialer("a");
        for (int i = 0; i < Clients; i++)
        {
            clients.Add(await dialer.DialAsync(server.Loops[i % server.Loops.Count], new InProcessClient(), Ct));
        }

        await Wait.UntilAsync(() => server.Snapshot().Connections == Clients + 1, "all to be there");
        long before = server.VisitsForEvents;
        foreach (Connection client in clients)
        {
            client.Loop.Run(() => client.Close());
        }

        await Wait.UntilAsync(() => server.Snapshot().Connections == 1, "all to have gone");
        // Each coming and each leaving is told of.
        for (int told = 0; told < 2 * Clients;)
        {
            told += sys.ReadMessage().Words[1] == "$SYS.ACCOUNT.A.SERVER.CONNS" ? 1 : 0;
        }

        // Once a second at most, and exactly when there are few: 1000 * 500 * 2 when each looks at all.
        long few = 4L * AccountTraffic.MaxExactClients * AccountTraffic.MaxExactClients;
        Assert.InRange(server.VisitsForEvents - before, 0, few + (20L * Clients));
    }

    [Fact]
    public async Task What_an_account_has_sent_is_told_also_when_it_is_many_clients()
    {
        await using BrokerServer server = await Accounts.Accounts.StartAsync(
            Accounts.Accounts.Account("$SYS", "sys"), Accounts.Accounts.Account("A", "a"));
        using RawClient sys = Accounts.Accounts.Client(server, "sys", "SUB $SYS.ACCOUNT.A.SERVER.CONNS 1\r\n");
        IDialer dialer = server.CreateDialer("a");
        using RawClient writer = Accounts.Accounts.Client(server, "a", "PUB x 5\r\nhello\r\n");
        for (int i = 0; i < 3 * AccountTraffic.MaxExactClients; i++)
        {
            await dialer.DialAsync(server.Loops[0], new InProcessClient(), Ct);
        }

        long received = 0;
        await Wait.UntilAsync(
            async () =>
            {
                // The sums come with a later event than the one that asked for them.
                await dialer.DialAsync(server.Loops[0], new InProcessClient(), Ct);
                received = System.Text.Json.JsonDocument.Parse(sys.ReadMessage().Payload).RootElement.GetProperty("received").GetProperty("msgs").GetInt64();
                return received != 0;
            },
            "the sums");

        Assert.Equal(1, received);
    }

    [Fact]
    public async Task Pages_of_many_subscriptions_are_put_in_order_once()
    {
        const int Count = 40_000;
        await using BrokerServer server = await Servers.StartAsync();
        using RawClient client = RawClient.Open(server);
        var text = new StringBuilder();
        for (int i = 1; i <= Count; i++)
        {
            text.Append(CultureInfo.InvariantCulture, $"SUB s.{i} {i}\r\n");
        }

        client.Send(text.ToString());
        client.Sync();
        var ids = new List<string>();
        for (int offset = 0; offset < Count; offset += 1000)
        {
            SubscriptionPage page = await server.InspectSubscriptionsAsync(new SubscriptionQuery { Offset = offset, Limit = 1000 }, Ct);
            ids.AddRange(page.Subscriptions.Select(s => s.Id));
        }

        Assert.Equal(Enumerable.Range(1, Count).Select(i => i.ToString(CultureInfo.InvariantCulture)), ids);
        // Unless the collector has taken it meanwhile.
        Assert.InRange(server.SortedListings, 1, 5);
        client.Send("UNSUB 1\r\n");
        client.Sync();
        SubscriptionPage first = await server.InspectSubscriptionsAsync(new SubscriptionQuery { Limit = 1 }, Ct);
        Assert.Equal("2", first.Subscriptions[0].Id);
    }

    [Fact]
    public void Every_sid_has_its_place()
    {
        int seed = Seed.Next();
        var random = new Random(seed);
        Subscription[] all = [.. Enumerable.Range(0, 3000).Select(_ =>
        {
            byte[] sid = new byte[1 + random.Next(random.Next(10) == 0 ? 400 : 20)];
            random.NextBytes(sid);
            sid.AsSpan(0, Math.Min(sid.Length, random.Next(20))).Fill((byte)'1');
            return new Subscription(null!, "a"u8.ToArray(), null, sid);
        })];
        Subscription[] expected = [.. all];
        Array.Sort(expected, (x, y) => x.SidLength == y.SidLength ? x.Sid.SequenceCompareTo(y.Sid) : x.SidLength.CompareTo(y.SidLength));
        SubscriptionListings.Order(all);
        Assert.True(expected.Select(s => Convert.ToHexString(s.Sid)).SequenceEqual(all.Select(s => Convert.ToHexString(s.Sid))), $"seed {seed}");
    }
}
