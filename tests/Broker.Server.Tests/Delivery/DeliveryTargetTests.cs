using System.Text;
using Broker.Server.Tests.Harness;
using Broker.Transport;

namespace Broker.Server.Tests.Delivery;

/// <summary>
/// A delivery target that is not a client receives messages, is counted and has limits like a client.
/// </summary>
public sealed class DeliveryTargetTests
{
    [Fact]
    public async Task A_target_of_another_kind_receives_its_messages_and_is_counted()
    {
        await using BrokerServer server = await Servers.StartAsync();
        var recorder = new Recorder(server.Loops.Count);
        Subscription subscription = Subscribe(server, recorder, "a.*");
        using var publisher = RawClient.Open(server);
        publisher.Send("SUB a.1 7\r\nPUB a.1 reply 1\r\nx\r\nPUB b.1 1\r\nx\r\nPUB a.2 2\r\nyz\r\n");
        Assert.Equal("MSG a.1 7 reply 1\r\nx\r\n", publisher.Sync());
        Assert.Equal(["a.1 reply x", "a.2  yz"], recorder.Taken);
        Assert.Equal((2, 3), (recorder.Messages, recorder.PayloadBytes));
        Assert.Equal(2, subscription.Delivered);
        Assert.Equal(3, server.Snapshot().MessagesOut);
        server.GlobalRouter.Remove(subscription);
        publisher.Send("PUB a.2 2\r\nyz\r\n");
        publisher.Sync();
        Assert.Equal(2, recorder.Taken.Count);
    }

    [Fact]
    public async Task A_target_is_a_member_of_queue_groups_and_its_limit_ends_its_subscription()
    {
        await using BrokerServer server = await Servers.StartAsync();
        var recorder = new Recorder(server.Loops.Count);
        Subscription subscription = Subscribe(server, recorder, "a", "q");
        subscription.Max = 3;
        using var publisher = RawClient.Open(server);
        publisher.Send("SUB a q 7\r\n");
        publisher.Send(string.Concat(Enumerable.Repeat("PUB a 1\r\nx\r\n", 200)));
        int byClient = publisher.Sync().Split("MSG a 7").Length - 1;
        Assert.Equal(200, byClient + recorder.Taken.Count);
        Assert.Equal(3, recorder.Taken.Count);
        Assert.Same(subscription, Assert.Single(recorder.Ended));
    }

    [Theory]
    [InlineData(SlowConsumerPolicy.DropNewest, "1 2 3 4", 6)]
    [InlineData(SlowConsumerPolicy.DropOldest, "7 8 9 10", 6)]
    public async Task The_slow_consumer_policy_applies_to_the_messages_that_a_target_has_buffered(SlowConsumerPolicy policy, string left, int dropped)
    {
        await using BrokerServer server = await Servers.StartAsync();
        var recorder = new Recorder(server.Loops.Count) { TakesNothing = true };
        recorder.Limit(policy, maxPending: 4 * Recorder.Cost, isWatched: false, isTraced: false);
        Subscribe(server, recorder, "a");
        using var publisher = RawClient.Open(server);
        for (int i = 1; i <= 10; i++)
        {
            publisher.Send($"PUB a {Recorder.Cost}\r\n{i,-Recorder.Cost}\r\n");
        }

        publisher.Sync();
        Assert.Equal(left, string.Join(' ', recorder.Waiting));
        Assert.Equal(dropped, server.Snapshot().Dropped);
        Assert.Equal(dropped, recorder.ExchangeDropped());
        Assert.Equal(policy, Assert.Single(recorder.Losing));
        recorder.Disconnect();
        Assert.True(recorder.IsEnded);
    }

    private static Subscription Subscribe(BrokerServer server, Recorder recorder, string filter, string? queue = null)
    {
        var subscription = new Subscription(recorder, Encoding.ASCII.GetBytes(filter), queue is null ? null : Encoding.ASCII.GetBytes(queue), "1"u8);
        server.GlobalRouter.Add(subscription);
        return subscription;
    }

    private sealed class Recorder : BufferedTarget
    {
        internal const int Cost = 8;

        internal Recorder(int loops) => BeginCounting(loops);

        internal bool TakesNothing { get; init; }

        internal List<string> Taken { get; } = [];

        internal List<string> Waiting { get; } = [];

        internal List<Subscription> Ended { get; } = [];

        internal List<SlowConsumerPolicy> Losing { get; } = [];

        internal bool IsEnded { get; private set; }

        internal override bool Deliver(Subscription subscription, Route route, in RoutedMessage message, RoutingPublisher publisher)
        {
            if (!TryCount(subscription, route, in message, publisher))
            {
                return false;
            }

            string body = Encoding.ASCII.GetString(message.Payload);
            if (TakesNothing)
            {
                Waiting.Add(body.TrimEnd());
            }
            else
            {
                Taken.Add($"{Encoding.ASCII.GetString(message.Subject)} {Encoding.ASCII.GetString(message.ReplyTo)} {body}");
            }

            publisher.State.MessagesOut++;
            return true;
        }

        private protected override long CountBufferedBytes(EventLoop loop) => Waiting.Count * Cost;

        private protected override long DropOldest(long bytes, EventLoop loop)
        {
            Waiting.RemoveAt(0);
            return 1;
        }

        private protected override void DisconnectPeer() => IsEnded = true;

        private protected override void OnLimitReached(Subscription subscription) => Ended.Add(subscription);

        private protected override void OnMessagesLost(SlowConsumerPolicy policy) => Losing.Add(policy);
    }
}
