using Broker.Bridge;
using Broker.Client;
using Broker.Server;
using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMQ.Tests;

/// <summary>SUB into subjects, PUB and XPUB from subjects.</summary>
public sealed class PubSubTests
{
    private static PubSubRouteOptions Topics => new();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Topics_of_a_publisher_become_subjects(bool extended)
    {
        await using Site site = await Site.StartAsync();
        BrokerConnection client = await site.ClientAsync();
        await using QueuedSubscription subjects = client.SubscribeQueued("zmq.>");
        await client.FlushAsync(TestContext.Current.CancellationToken);
        using var publisher = new PublisherSocket("@inproc://topics");
        NetMQSocket subscriber = extended ? new XSubscriberSocket(">inproc://topics") : new SubscriberSocket(">inproc://topics");
        if (subscriber is SubscriberSocket plain)
        {
            plain.SubscribeToAnyTopic();
        }
        else
        {
            subscriber.SendFrame([1]);
        }

        site.Poll(subscriber);
        await using NetMQAttachment attachment = await site.AttachAsync(subscriber, Topics);
        for (int i = 0; i < 5000; i++)
        {
            publisher.SendMoreFrame("room.1").SendFrame(BitConverter.GetBytes(i));

            // A PUB drops what its subscriber does not take.
            if (i % 500 == 0)
            {
                int expected = i + 1;
                await Wait.UntilAsync(() => attachment.GetSnapshot().ToRoute == expected);
            }
        }

        for (int i = 0; i < 5000; i++)
        {
            Message message = await subjects.Reader.ReadAsync(TestContext.Current.CancellationToken);
            Assert.Equal("zmq.room.1", message.Subject);
            Assert.Equal(i, BitConverter.ToInt32(message.Body.Span));
        }
    }

    [Fact]
    public async Task An_attached_pub_gets_the_topics_of_its_options()
    {
        await using Site site = await Site.StartAsync();
        BrokerConnection client = await site.ClientAsync();
        PublisherSocket pub = site.Poll(new PublisherSocket("@inproc://pub"));
        using var subscriber = new SubscriberSocket(">inproc://pub");
        subscriber.SubscribeToAnyTopic();
        await using NetMQAttachment attachment = await site.AttachAsync(pub, Topics, new NetMQAttachmentOptions { Topics = ["a."u8.ToArray()] });
        await Wait.UntilAsync(() =>
        {
            client.Publish("zmq.a.first", "1"u8);
            return subscriber.HasIn;
        });
        client.Publish("zmq.b.other", "2"u8);
        client.Publish("zmq.a.last", "3"u8);
        NetMQMessage message;
        do
        {
            message = subscriber.ReceiveMultipartMessage();
            Assert.StartsWith("a.", message[0].ConvertToString(), StringComparison.Ordinal);
        }
        while (message[0].ConvertToString() != "a.last");
        Assert.Equal("3", message[1].ConvertToString());
    }

    [Fact]
    public async Task The_subscribers_of_an_attached_xpub_decide_what_the_server_sends()
    {
        await using Site site = await Site.StartAsync();
        BrokerConnection client = await site.ClientAsync();
        XPublisherSocket xpub = site.Poll(new XPublisherSocket("@inproc://xpub"));
        await using NetMQAttachment attachment = await site.AttachAsync(xpub, Topics);
        using var subscriber = new SubscriberSocket(">inproc://xpub");
        subscriber.Subscribe("news.");
        await WaitForSubscribersAsync(site, "zmq.news.x", count: 1);
        client.Publish("zmq.sport.x", "no"u8);
        client.Publish("zmq.news.x", "yes"u8);
        NetMQMessage message = new();
        Assert.True(subscriber.TryReceiveMultipartMessage(Wait.Limit, ref message!));
        Assert.Equal(["news.x", "yes"], message.Select(static f => f.ConvertToString()));
        subscriber.Unsubscribe("news.");
        await WaitForSubscribersAsync(site, "zmq.news.x", count: 0);
    }

    private static async Task WaitForSubscribersAsync(Site site, string subject, int count)
    {
        var query = new SubscriptionQuery { Subject = subject };
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        limit.CancelAfter(Wait.Limit);
        while ((await site.Server!.InspectSubscriptionsAsync(query, limit.Token)).Subscriptions.Count != count)
        {
            await Task.Delay(10, limit.Token);
        }
    }
}
