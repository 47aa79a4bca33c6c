using System.Diagnostics;
using System.Text.Json;
using Broker.AspNetCore.Tests.Harness;
using Broker.Server;
using Broker.Transport;

namespace Broker.AspNetCore.Tests.Monitoring;

public sealed class PagingTests
{
    [Fact]
    public async Task Pages_together_hold_every_connection_once()
    {
        await using Site site = await Site.StartAsync();
        LineClient[] clients = [.. Enumerable.Range(0, 7).Select(_ => site.Connect())];
        var ids = new List<ulong>();
        for (int offset = 0; offset < 9; offset += 3)
        {
            JsonElement page = await site.GetAsync($"connz?limit=3&offset={offset}");
            Assert.Equal(7, page.GetProperty("total").GetInt32());
            Assert.Equal(page.GetProperty("num_connections").GetInt32(), page.GetProperty("connections").GetArrayLength());
            ids.AddRange(page.GetProperty("connections").EnumerateArray().Select(c => c.GetProperty("cid").GetUInt64()));
        }

        Assert.Equal(7, ids.Distinct().Count());
        Assert.Equal(ids.Order(), ids);
        Array.ForEach(clients, c => c.Dispose());
    }

    [Theory]
    [InlineData("99999999999999999999", "0", 0)]
    [InlineData("-99999999999999999999", "99999999999999999999", 1)]
    [InlineData("2147483647", "2147483647", 0)]
    [InlineData("-1", "-1", 1)]
    public async Task Paging_out_of_every_range_is_clamped(string offset, string limit, int listed)
    {
        await using Site site = await Site.StartAsync();
        using LineClient client = site.Connect(more: "SUB a 1\r\n");
        JsonElement connections = await site.GetAsync($"connz?offset={offset}&limit={limit}&subs=1");
        JsonElement subscriptions = await site.GetAsync($"subsz?offset={offset}&limit={limit}&subs=1");
        Assert.Equal(listed, connections.GetProperty("connections").GetArrayLength());
        Assert.Equal(listed, subscriptions.GetProperty("subscriptions_list").GetArrayLength());
        Assert.InRange(connections.GetProperty("limit").GetInt32(), 1, ConnectionQuery.MaxLimit);
    }

    [Fact]
    public async Task Pages_of_subscriptions_go_on_within_a_client_and_over_clients()
    {
        await using Site site = await Site.StartAsync();
        using LineClient first = site.Connect(more: string.Concat(Enumerable.Range(0, 5).Select(i => $"SUB a.{i} {i}\r\n")));
        using LineClient second = site.Connect(more: string.Concat(Enumerable.Range(0, 5).Select(i => $"SUB b.{i} {i}\r\n")));
        var subjects = new List<string>();
        for (int offset = 0; offset < 12; offset += 3)
        {
            JsonElement page = await site.GetAsync($"subsz?subs=1&limit=3&offset={offset}");
            subjects.AddRange(page.GetProperty("subscriptions_list").EnumerateArray().Select(s => s.GetProperty("subject").GetString()!));
        }

        Assert.Equal(Enumerable.Range(0, 10).Select(i => i < 5 ? $"a.{i}" : $"b.{i - 5}"), subjects);
    }

    [Fact]
    public async Task A_page_of_ten_thousand_connections_costs_the_page_and_not_the_connections()
    {
        const int Clients = 10_000;
        await using Site site = await Site.StartAsync();
        for (int i = 0; i < Clients; i++)
        {
            site.Server.ConnectInProcess(site.Server.Loops.Next(), new Silent());
        }

        await Wait.UntilAsync(() => Task.FromResult(site.Server.Snapshot().Connections == Clients), "not all are connected");
        var query = new ConnectionQuery { Limit = 10, Offset = 5000, Order = ConnectionOrder.BytesOut };
        CancellationToken cancellation = TestContext.Current.CancellationToken;
        await site.Server.InspectConnectionsAsync(query, cancellation);
        // Other code of the process allocates too. The minimum of several rounds is the page's own allocation.
        long allocated = long.MaxValue;
        for (int round = 0; round < 5; round++)
        {
            long before = GC.GetTotalAllocatedBytes(precise: true);
            ConnectionPage page = await site.Server.InspectConnectionsAsync(query, cancellation);
            allocated = Math.Min(allocated, GC.GetTotalAllocatedBytes(precise: true) - before);
            Assert.Equal(10, page.Connections.Count);
            Assert.Equal(Clients, page.Total);
        }

        // An entry for sorting each connection, and a description of ten connections.
        Assert.InRange(allocated, 0, Clients * 128);
        JsonElement whole = await site.GetAsync("connz?limit=20000");
        Assert.Equal(Clients, whole.GetProperty("connections").GetArrayLength());
    }

    [Fact]
    public async Task A_page_with_many_subscriptions_keeps_references_and_not_descriptions()
    {
        const int Subscriptions = 20_000;
        await using Site site = await Site.StartAsync();
        using LineClient client = site.Connect(
            more: string.Concat(Enumerable.Range(0, Subscriptions).Select(i => $"SUB some.subject.of.a.client.{i} {i}\r\n")));
        var query = new ConnectionQuery { WithSubscriptions = true };
        CancellationToken cancellation = TestContext.Current.CancellationToken;
        await Wait.UntilAsync(() => Task.FromResult(site.Server.Snapshot().Subscriptions == Subscriptions), "not all are subscribed");
        await site.Server.InspectConnectionsAsync(query, cancellation);
        long allocated = long.MaxValue;
        for (int round = 0; round < 5; round++)
        {
            long before = GC.GetTotalAllocatedBytes(precise: true);
            ConnectionPage page = await site.Server.InspectConnectionsAsync(query, cancellation);
            allocated = Math.Min(allocated, GC.GetTotalAllocatedBytes(precise: true) - before);
            Assert.Equal(Subscriptions, page.Connections[0].SubscriptionList!.Count);
        }

        Assert.InRange(allocated, 0, Subscriptions * 2 * IntPtr.Size);
        IReadOnlyList<SubscriptionDescription> list = (await site.Server.InspectConnectionsAsync(query, cancellation)).Connections[0].SubscriptionList!;
        Assert.Equal(list.Select(s => s.Id), Enumerable.Range(0, Subscriptions).Select(i => list[i].Id));
        Assert.Throws<ArgumentOutOfRangeException>(() => list[Subscriptions]);
        Assert.Throws<ArgumentOutOfRangeException>(() => list[-1]);
        Assert.Equal(Subscriptions, list.Select(s => s.Subject).Distinct().Count());
        Assert.All(list, s => Assert.Equal(("$G", $"some.subject.of.a.client.{s.Id}"), (s.Account, s.Subject)));
    }

    [Fact]
    public async Task The_closed_ones_are_remembered_with_a_reason_and_within_a_bound()
    {
        await using Site site = await Site.StartAsync();
        using (LineClient rude = site.Connect("{\"name\":\"" + new string('n', 2000) + "\"}"))
        {
            rude.Send("NONSENSE\r\n");
            while (rude.ReadLine().Length != 0)
            {
                // Ends when the connection is closed.
            }
        }

        await Wait.UntilAsync(
            async () => (await site.GetAsync("connz?state=closed")).GetProperty("num_connections").GetInt32() == 1, "it is not seen");
        JsonElement closed = (await site.GetAsync("connz?state=closed")).GetProperty("connections")[0];
        Assert.Equal("Parse Error", closed.GetProperty("reason").GetString());
        Assert.Equal(128, closed.GetProperty("name").GetString()!.Length);
    }

    private sealed class Silent : ConnectionHandler
    {
        public override int OnReceived(Connection connection, ReadOnlySpan<byte> bytes, ref int needed) => bytes.Length;

        public override void OnClosed(Connection connection, CloseReason reason, Exception? error) => Debug.Assert(!connection.IsOpen);
    }
}
