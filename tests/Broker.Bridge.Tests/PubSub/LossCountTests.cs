using System.Net;
using Broker.Bridge.Tests.Pipelines.Support;
using Broker.Bridge.Tests.PubSub.Support;
using Broker.Client;
using Broker.Testing;

namespace Broker.Bridge.Tests.PubSub;

/// <summary>
/// Messages on their way to a server that is lost are counted, and the sum of the counters and the arrived messages is
/// right.
/// </summary>
public sealed class LossCountTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Under_load_the_messages_of_PUBs_are_the_sum_of_arrived_dropped_lost_and_unconfirmed_ones(bool foreign)
    {
        const int Losses = 5;
        const int Portion = 2000;
        await using Pipeline pipeline = await Pipeline.StartAsync(foreign, apart: true);
        await using var link = FaultLink.Open(IPEndPoint.Parse(new Uri(pipeline.Url).Authority));
        ZeroMqBridge bridge = await pipeline.BridgeAsync($"nats://{link.Address}", new PubSubRouteOptions
        {
            Publishers = [new(Bind: true, "tcp://127.0.0.1:0")],
            Subscribers = [],
        });
        BrokerConnection client = await pipeline.ClientAsync();
        long arrived = 0;
        client.Subscribe("zmq.>", (in MessageView _) => Interlocked.Increment(ref arrived));
        await client.FlushAsync(TestContext.Current.CancellationToken);
        await using Publisher publisher = new Publisher().Connect(Route().PublisherEndpoints[0]);
        await Wait.UntilAsync(() => Route().FromZeroMq > 0, () => $"{Route()}", () => _ = publisher.SendAsync(Shapes.Frames("ready")));
        string body = new('x', 100);
        for (int loss = 0; loss < Losses; loss++)
        {
            long before = Interlocked.Read(ref arrived);
            await SendAsync();
            await Wait.UntilAsync(() => Interlocked.Read(ref arrived) > before, () => $"{Route()}");

            // More data than the kernel can buffer are on their way when the link is cut.
            link.Stall(LinkDirection.ToServer);
            await Wait.UntilAsync(
                async () =>
                {
                    await SendAsync();
                    return bridge.Snapshot().Client.PendingBytes > 1 << 20;
                },
                Describe);
            link.Cut();
            link.Resume();
            await Wait.UntilAsync(() => bridge.Snapshot() is { Server: not null } now && now.Client.Reconnects == loss + 1, () => $"{bridge.Snapshot().Client}");
        }

        await SendAsync();
        await bridge.StopIngressAsync(TestContext.Current.CancellationToken);
        await Wait.UntilAsync(() => bridge.Snapshot().Client.PendingBytes == 0, () => $"{bridge.Snapshot().Client}");
        ClientStatistics counts = bridge.Snapshot().Client;
        await Wait.UntilAsync(() => Interlocked.Read(ref arrived) >= counts.MessagesOut - counts.Lost - counts.Unconfirmed, Describe);
        await client.FlushAsync(TestContext.Current.CancellationToken);

        Assert.Equal(Route().FromZeroMq, Route().ToSubjects + Route().Dropped + Route().Refused);
        Assert.Equal(Route().ToSubjects, counts.MessagesOut);
        Assert.True(counts.Lost > 0, Describe());
        Assert.True(Interlocked.Read(ref arrived) <= counts.MessagesOut - counts.Lost, Describe());

        Task SendAsync() => publisher.SendAsync(Enumerable.Range(0, Portion).Select(i => Shapes.Frames("a.b", Shapes.Number(i), body)));
        PubSubRouteSnapshot Route() => (PubSubRouteSnapshot)bridge.Snapshot().Routes[0];
        string Describe() => $"{Interlocked.Read(ref arrived)} arrived; {Route()}; {bridge.Snapshot().Client}";
    }
}
