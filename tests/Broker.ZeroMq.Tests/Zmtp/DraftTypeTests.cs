namespace Broker.ZeroMq.Tests.Zmtp;

public sealed class DraftTypeTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(30);

    [Fact]
    public void A_dish_receives_its_groups_and_no_group_whose_name_only_begins_alike()
    {
        using var context = new ZeroMqContext();
        using var radio = new PublisherSocket(new ZeroMqSocketOptions { DraftType = ZmtpSocketType.Radio }, context);
        using var dish = new SubscriberSocket(new ZeroMqSocketOptions { DraftType = ZmtpSocketType.Dish }, context);
        string endpoint = radio.Bind("tcp://127.0.0.1:*");
        dish.Subscribe("g");
        dish.Connect(endpoint);
        using var message = new ZeroMqMessage();
        long end = Environment.TickCount64 + (long)Limit.TotalMilliseconds;
        do
        {
            radio.Send("gg", "another");
            radio.Send("", "another");
            radio.Send("g", "wanted");
        }
        while (!dish.TryReceive(message, TimeSpan.FromMilliseconds(50)) && Environment.TickCount64 < end);

        Assert.Equal(["g", "wanted"], [message.GetString(0), message.GetString(1)]);
        while (dish.TryReceive(message, TimeSpan.FromMilliseconds(50)))
        {
            Assert.Equal("g", message.GetString(0));
        }

        Assert.Throws<ArgumentOutOfRangeException>(() => dish.Subscribe(new string('x', 256)));
    }

    [Fact]
    public void A_server_gives_its_clients_ids_of_four_bytes()
    {
        using var context = new ZeroMqContext();
        using var server = new RouterSocket(new RouterSocketOptions { DraftType = ZmtpSocketType.Server }, context);
        using var client = new DealerSocket(new ZeroMqSocketOptions { DraftType = ZmtpSocketType.Client }, context);
        client.Connect(server.Bind("tcp://127.0.0.1:*"));
        client.Send("question");
        using var message = new ZeroMqMessage();
        Assert.True(server.TryReceive(message, Limit));
        Assert.Equal(4, message.First.Length);
        Assert.Equal("question", message.GetString(1));
        server.Send(message);
        Assert.True(client.TryReceiveString(out string? text, Limit));
        Assert.Equal("question", text);
    }

    [Fact]
    public void A_draft_socket_refuses_a_peer_of_the_type_that_does_its_work()
    {
        using var context = new ZeroMqContext();
        using var gather = new PullSocket(new ZeroMqSocketOptions { DraftType = ZmtpSocketType.Gather }, context);
        using var push = new PushSocket(null, context);
        push.Connect(gather.Bind("tcp://127.0.0.1:*"));
        push.Send("x");
        Assert.True(SpinWait.SpinUntil(() => gather.GetCounts().PeersRefused > 0, Limit));
        Assert.False(gather.HasMessages);
    }

    [Theory]
    [InlineData(ZmtpSocketType.Server)]
    [InlineData(ZmtpSocketType.Pull)]
    [InlineData((ZmtpSocketType)99)]
    public void A_socket_refuses_a_draft_type_of_other_sockets(ZmtpSocketType type)
        => Assert.Throws<ArgumentException>(() => new PullSocket(new ZeroMqSocketOptions { DraftType = type }));
}
