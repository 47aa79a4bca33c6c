using Broker.Client.Tests.Support;

namespace Broker.Client.Tests.Publishing;

public sealed class ThroughputTests
{
    private const int Million = 1_000_000;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(ServerKind.Broker, 1)]
    [InlineData(ServerKind.Broker, 4)]
    [InlineData(ServerKind.Broker, 0)]
    [InlineData(ServerKind.Nats, 1)]
    [InlineData(ServerKind.Nats, 4)]
    [InlineData(ServerKind.Nats, 0)]
    public async Task A_million_messages_arrive_once_each_and_in_order(ServerKind kind, int threads)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        await using BrokerConnection publisher = await Patient.ConnectAsync(server.Options, Token);
        await using BrokerConnection receiver = await Patient.ConnectAsync(server.Options, Token);
        int publishers = Math.Max(1, threads);
        int[] next = new int[publishers];
        int disorder = 0;
        var counter = new Counter(Million);
        receiver.Subscribe("million", (in MessageView m) =>
        {
            int who = BitConverter.ToInt32(m.Body);
            disorder += next[who]++ == BitConverter.ToInt32(m.Body[4..]) ? 0 : 1;
            counter.Take(in m);
        });
        await receiver.PingAsync(Token);
        void Publish(int who)
        {
            Span<byte> body = stackalloc byte[8];
            BitConverter.TryWriteBytes(body, who);
            for (int i = 0; i < Million / publishers; i++)
            {
                BitConverter.TryWriteBytes(body[4..], i);
                Assert.Equal(PublishStatus.Accepted, publisher.PublishWithStatus("million"u8, body));
            }
        }

        if (threads == 0)
        {
            TaskCompletionSource done = Wait.Source();
            publisher.Loop.Post(() =>
            {
                Publish(0);
                done.SetResult();
            });
            await Wait.For(done);
        }
        else
        {
            Task[] tasks = [.. Enumerable.Range(0, threads).Select(who => Task.Run(() => Publish(who), Token))];
            await Wait.For(Task.WhenAll(tasks));
        }

        await counter.Complete;
        await publisher.FlushAsync(Token);
        await receiver.FlushAsync(Token);
        Assert.Equal(Million, counter.Count);
        Assert.Equal(0, disorder);
        Assert.Equal(Million, publisher.GetStatistics().MessagesOut);
        Assert.Equal(8L * Million, publisher.GetStatistics().BytesOut);
        Assert.Equal(Million, receiver.GetStatistics().MessagesIn);
        Assert.Equal(8L * Million, receiver.GetStatistics().BytesIn);
    }
}
