using Broker.Interop.Tests.Harness;

namespace Broker.Interop.Tests.Serving;

/// <summary>Tests that official NATS clients exchange messages through the broker.</summary>
public sealed class NatsClientTests
{
    [Theory]
    [InlineData("nats.js", "nats.c")]
    [InlineData("nats.c", "nats.js")]
    public async Task A_message_arrives_with_its_headers(string publisher, string subscriber)
    {
        await using BrokerProcess broker = await BrokerProcess.StartAsync(-1);
        await using Subscriber sub = await Peers.Nats(subscriber).SubscribeAsync(broker.Url, "a.*.c");
        await using Publisher pub = await Peers.Nats(publisher).PublishAsync(broker.Url);

        await pub.SendAsync("a.b", "no match");
        await pub.SendAsync("a.b.c", "body", "Unit: C");

        Message message = await sub.ReadAsync();
        Assert.Equal("a.b.c", message.Subject);
        Assert.Equal("body", message.PayloadText);
        Assert.Equal(["Unit: C"], message.Headers);
    }

    [Theory]
    [InlineData("nats.js", "nats.c")]
    [InlineData("nats.c", "nats.js")]
    public async Task A_request_is_answered_and_one_without_responders_is_refused(string requester, string responder)
    {
        await using BrokerProcess broker = await BrokerProcess.StartAsync(-1);
        await using Subscriber service = await Peers.Nats(responder).SubscribeAsync(broker.Url, "service", "echo");
        await using Publisher client = await Peers.Nats(requester).RequestAsync(broker.Url);

        await client.SendAsync("service", "ask");
        Assert.Equal("ask", Message.Parse(await client.Process.ReadLineWithAsync("MSG")).PayloadText);

        await client.SendAsync("nobody", "ask");
        Assert.StartsWith("ERR ", await client.Process.ReadLineAsync(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_queue_group_takes_each_message_once()
    {
        const int Count = 40;
        await using BrokerProcess broker = await BrokerProcess.StartAsync(-1);
        await using Subscriber first = await Peers.NatsJs.SubscribeAsync(broker.Url, "work", "queue=q");
        await using Subscriber second = await Peers.Libnats.SubscribeAsync(broker.Url, "work", "queue=q");
        await using Subscriber all = await Peers.Libnats.SubscribeAsync(broker.Url, "work");
        await using Publisher pub = await Peers.NatsJs.PublishAsync(broker.Url);

        for (int i = 0; i < Count; i++)
        {
            await pub.SendAsync("work", $"{i}");
        }

        for (int i = 0; i < Count; i++)
        {
            Assert.Equal($"{i}", (await all.ReadAsync()).PayloadText);
        }

        var taken = new List<string>();
        int byFirst = 0;
        Task<Message> nextOfFirst = first.ReadAsync();
        Task<Message> nextOfSecond = second.ReadAsync();
        while (taken.Count < Count)
        {
            Task<Message> next = await Task.WhenAny(nextOfFirst, nextOfSecond);
            taken.Add((await next).PayloadText);
            if (next == nextOfFirst)
            {
                byFirst++;
                nextOfFirst = first.ReadAsync();
            }
            else
            {
                nextOfSecond = second.ReadAsync();
            }
        }

        Assert.Equal(Enumerable.Range(0, Count).Select(i => $"{i}").Order(), taken.Order());
        Assert.InRange(byFirst, 1, Count - 1);
    }
}
