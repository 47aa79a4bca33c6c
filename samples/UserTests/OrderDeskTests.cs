using System.Text;
using Broker.Client;
using Broker.Server;
using Broker.Testing;

namespace UserTests;

/// <summary>Each test has its own broker, so the tests run in parallel. No test waits for a fixed time.</summary>
public sealed class OrderDeskTests
{
    [Fact]
    public async Task An_order_is_accepted()
    {
        await using var broker = await TestBroker.StartAsync();
        await using var accepted = await broker.RecordAsync("orders.accepted");
        await using var desk = await OrderDesk.OpenAsync(broker.ConnectionString);
        await broker.WaitForSubscribersAsync("orders.new");

        broker.Client.Publish("orders.new", "3"u8);

        await accepted.AssertTextsAsync("3");
    }

    [Fact]
    public async Task An_order_with_an_invalid_number_of_pieces_is_refused()
    {
        await using var broker = await TestBroker.StartAsync();
        await using var decided = await broker.RecordAsync("orders.*");
        await using var desk = await OrderDesk.OpenAsync(broker.ConnectionString);
        await broker.WaitForSubscribersAsync("orders.new");

        broker.Client.Publish("orders.new", "many"u8);
        broker.Client.Publish("orders.new", "101"u8);

        await decided.WaitForAsync("orders.refused", "many");
        await decided.WaitForAsync("orders.refused", "101");
        await decided.AssertCountAsync(4);
    }

    [Fact]
    public async Task It_replies_with_the_number_of_accepted_orders()
    {
        await using var broker = await TestBroker.StartAsync();
        await using var accepted = await broker.RecordAsync("orders.accepted");
        await using var desk = await OrderDesk.OpenAsync(broker.ConnectionString);
        await broker.WaitForSubscribersAsync("orders.new");
        broker.Client.Publish("orders.new", "3"u8);
        broker.Client.Publish("orders.new", "4"u8);
        await accepted.WaitForCountAsync(2);

        Message answer = await broker.Client.RequestAsync("orders.count", default, TimeSpan.FromSeconds(30));

        Assert.Equal("2", Encoding.UTF8.GetString(answer.Body.Span));
    }

    [Fact]
    public async Task Two_desks_share_the_orders()
    {
        await using var broker = await TestBroker.StartAsync();
        await using var accepted = await broker.RecordAsync("orders.accepted");
        await using var one = await OrderDesk.OpenAsync(broker.ConnectionString);
        await using var other = await OrderDesk.OpenAsync(broker.ConnectionString);
        await broker.WaitForSubscribersAsync("orders.new", count: 2);

        for (int i = 0; i < 10; i++)
        {
            broker.Client.Publish("orders.new", "1"u8);
        }

        await accepted.WaitForCountAsync(10);
        await accepted.AssertCountAsync(10);
    }

    [Fact]
    public async Task It_continues_after_its_connection_was_lost()
    {
        await using var broker = await TestBroker.StartAsync();
        await using var link = broker.OpenLink();
        await using var accepted = await broker.RecordAsync("orders.accepted");
        await using var desk = await OrderDesk.OpenAsync($"nats://{link.Address}");
        await broker.WaitForSubscribersAsync("orders.new");

        link.RefusesConnections = true;
        link.Cut();
        await broker.WaitForConnectionsAsync(0);
        link.RefusesConnections = false;
        await broker.WaitForSubscribersAsync("orders.new");

        broker.Client.Publish("orders.new", "3"u8);
        await accepted.AssertTextsAsync("3");
    }

    [Fact]
    public async Task An_order_that_is_delayed_by_the_network_is_accepted_once()
    {
        await using var broker = await TestBroker.StartAsync();
        await using FaultLink link = broker.OpenLink();
        await using MessageRecorder accepted = await broker.RecordAsync("orders.accepted");
        await using var desk = await OrderDesk.OpenAsync($"nats://{link.Address}");
        await broker.WaitForSubscribersAsync("orders.new");

        link.Stall(LinkDirection.ToServer);
        broker.Client.Publish("orders.new", "3"u8);
        await broker.Client.FlushAsync();
        await accepted.AssertCountAsync(0);
        link.Resume();

        await accepted.AssertTextsAsync("3");
    }

    [Fact]
    public async Task An_order_of_a_user_without_permission_is_dropped()
    {
        await using var broker = await TestBroker.StartAsync(options => options.Users =
        [
            new User("desk", "secret"),
            new User("guest", "word", new Permissions { Publish = new SubjectPermissions { Deny = ["orders.new"] } }),
        ]);
        await using var decided = await broker.RecordAsync("orders.*");
        await using var guest = await broker.ConnectAsync(new Broker.Client.ClientOptions { User = "guest" });

        guest.Publish("orders.new", "3"u8);
        await guest.FlushAsync();

        await decided.AssertCountAsync(0);
    }
}
