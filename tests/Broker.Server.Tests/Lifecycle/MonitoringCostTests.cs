using System.Globalization;
using System.Text;
using Broker.Server.Tests.Harness;
using Broker.Transport;

namespace Broker.Server.Tests.Lifecycle;

/// <summary>Monitoring of a server costs its clients very little.</summary>
public sealed class MonitoringCostTests
{
    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_connection_event_does_not_visit_other_clients()
    {
        const int Clients = 1000;
        await using BrokerServer server = await Accounts.Accounts.StartAsync(
            Accounts.Accounts.Account("$SYS", "sys"), Accounts.Accounts.Account("A", "a"));
        using RawClient sys = Accounts.Accounts.Client(server, "sys", "SUB $SYS.> 1\r\n");
        // The clients are in-process, because the test does not need a thousand sockets.
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
        // Each connection and each disconnection has an event.
        for (int told = 0; told < 2 * Clients;)
        {
            told += sys.ReadMessage().Words[1] == "$SYS.ACCOUNT.A.SERVER.CONNS" ? 1 : 0;
        }

        // The clients are visited once a second at most, and for each event if there are few. If each event visited all
        // clients, the number would be 1000 * 500 * 2.
        long few = 4L * AccountTraffic.MaxExactClients * AccountTraffic.MaxExactClients;
        Assert.InRange(server.VisitsForEvents - before, 0, few + (20L * Clients));
    }

    [Fact]
    public async Task The_traffic_of_an_account_with_many_clients_is_published()
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
                // The totals are in a later event than the one that requested them.
                await dialer.DialAsync(server.Loops[0], new InProcessClient(), Ct);
                received = System.Text.Json.JsonDocument.Parse(sys.ReadMessage().Payload).RootElement.GetProperty("received").GetProperty("msgs").GetInt64();
                return received != 0;
            },
            "the sums");

        Assert.Equal(1, received);
    }

    [Fact]
    public async Task Many_subscriptions_are_sorted_once_for_all_pages()
    {
        const int Count = 40_000;
        await using BrokerServer server = await Servers.StartAsync();
        using var client = RawClient.Open(server);
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
        // The garbage collector may have collected the list meanwhile.
        Assert.InRange(server.SortedListings, 1, 5);
        client.Send("UNSUB 1\r\n");
        client.Sync();
        SubscriptionPage first = await server.InspectSubscriptionsAsync(new SubscriptionQuery { Limit = 1 }, Ct);
        Assert.Equal("2", first.Subscriptions[0].Id);
    }

    [Fact]
    public void Sids_have_a_total_order()
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
