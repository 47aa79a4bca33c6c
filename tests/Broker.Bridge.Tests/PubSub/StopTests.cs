using Broker.Bridge.Tests.PubSub.Support;
using Broker.Client;
using Broker.Server;

namespace Broker.Bridge.Tests.PubSub;

/// <summary>A clean stop: first the ingress, then the drain of the server, then the rest.</summary>
public sealed class StopTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task What_was_taken_from_ZeroMQ_reaches_readers_of_both_sides(int loops)
    {
        await using Site site = await Site.StartAsync(loops);
        await using Subscriber reader = await site.SubscriberAsync("t");
        BrokerConnection client = await site.ClientAsync();
        long native = 0;
        client.Subscribe("zmq.t", (in Broker.Client.MessageView _) => Interlocked.Increment(ref native));
        await client.FlushAsync(Token);
        await using Publisher publisher = await site.PublisherAsync();
        PubSubRouteSnapshot start = site.Route.Snapshot();
        Task sending = publisher.SendAsync(Enumerable.Range(0, 200_000).Select(i => Shapes.Frames("t", Shapes.Number(i))));
        await Wait.UntilAsync(() => reader.Count > 1000, () => $"{reader.Count}");

        // Stops in the middle of the stream.
        await site.Bridge.StopIngressAsync(Token);
        DrainReport drained = await site.Server!.DrainAsync(Wait.Limit, Token);
        long undelivered = await site.Bridge.CloseAsync(Wait.Limit);
        long taken = site.Route.Snapshot().ToSubjects - start.ToSubjects;
        Assert.Equal(0, drained.Messages);
        Assert.Equal(0, undelivered);
        await Wait.UntilAsync(() => reader.Count >= taken && Volatile.Read(ref native) >= taken, () => $"{reader.Count} and {native} of {taken}");
        Assert.Equal(taken, reader.Count);
        Assert.Equal(taken, Volatile.Read(ref native));
        reader.AssertExactly([.. Enumerable.Range(0, (int)taken).Select(i => $"t|{i}")]);
        Assert.Equal(0, site.Route.Snapshot().Dropped);
        await sending;
    }
}
