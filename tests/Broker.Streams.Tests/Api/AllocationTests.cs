using System.Text;
using Broker.Server;
using Broker.Transport;

namespace Broker.Streams.Tests.Api;

public sealed class AllocationTests
{
    private const int Messages = 500;

    // The thread of the test is the loop's thread, so that its allocations can be measured.
    [Fact]
    public async Task A_message_from_its_publish_to_its_acknowledgement_allocates_nothing_on_the_loop()
    {
        using var loops = new EventLoopGroup(new EventLoopOptions { CallerDriven = true });
        Task<(BrokerServer Server, AccountStreams Streams)> starting = StartAsync(loops);
        Run(loops, () => starting.IsCompleted);
        (BrokerServer server, AccountStreams streams) = await starting;
        var publisher = new Counter();
        MessageTarget target = server.AddTarget(publisher);
        target.Subscribe("answers");
        target.Loop.Attach();
        target.Publish("$JS.API.STREAM.CREATE.S"u8, """{"name":"S","max_msgs":100}"""u8, "answers"u8);
        Run(loops, () => publisher.Received == 1);
        byte[] body = Encoding.UTF8.GetBytes(new string('x', 128));
        Publish(loops, target, publisher, body, 20 * Messages);

        long allocated = Allocations.Of(() => Publish(loops, target, publisher, body, Messages));

        Assert.Equal(0, allocated);
        target.Dispose();
        Task closing = CloseAsync(server, streams);
        Run(loops, () => closing.IsCompleted);
        await closing;
    }

    [Fact]
    public async Task A_message_that_a_consumer_delivers_allocates_nothing_on_the_loop()
    {
        using var loops = new EventLoopGroup(new EventLoopOptions { CallerDriven = true });
        Task<(BrokerServer Server, AccountStreams Streams)> starting = StartAsync(loops);
        Run(loops, () => starting.IsCompleted);
        (BrokerServer server, AccountStreams streams) = await starting;
        var publisher = new Counter();
        MessageTarget target = server.AddTarget(publisher);
        target.Subscribe("answers");
        target.Loop.Attach();
        var reader = new Counter();
        MessageTarget reading = server.AddTarget(reader);
        reading.Subscribe("in");
        target.Publish("$JS.API.STREAM.CREATE.S"u8, """{"name":"S","max_msgs":100}"""u8, "answers"u8);
        Run(loops, () => publisher.Received == 1);
        target.Publish(
            "$JS.API.CONSUMER.CREATE.S.C"u8, """{"stream_name":"S","config":{"deliver_subject":"in","ack_policy":"none"}}"""u8, "answers"u8);
        Run(loops, () => publisher.Received == 2);
        byte[] body = Encoding.UTF8.GetBytes(new string('x', 128));
        for (int i = 0; i < 400; i++)
        {
            PublishAndRead(loops, target, reader, body);
        }

        long allocated = Allocations.Of(() =>
        {
            for (int i = 0; i < 10; i++)
            {
                PublishAndRead(loops, target, reader, body);
            }
        });

        Assert.Equal(0, allocated);
        target.Dispose();
        reading.Dispose();
        Task closing = CloseAsync(server, streams);
        Run(loops, () => closing.IsCompleted);
        await closing;
    }

    private static async Task<(BrokerServer Server, AccountStreams Streams)> StartAsync(EventLoopGroup loops)
    {
        BrokerServer server = await BrokerServer.StartAsync(new BrokerServerOptions { Loops = loops }, TestContext.Current.CancellationToken);
        return (server, await AccountStreams.StartAsync(server, new AccountStreamsOptions { Directory = "" }, new MemoryFiles()));
    }

    private static async Task CloseAsync(BrokerServer server, AccountStreams streams)
    {
        await streams.DisposeAsync();
        await server.DisposeAsync();
    }

    private static void Publish(EventLoopGroup loops, MessageTarget target, Counter publisher, byte[] body, int count)
    {
        int expected = publisher.Received + count;
        for (int i = 0; i < count; i++)
        {
            target.Publish("S"u8, body, "answers"u8);
        }

        while (publisher.Received < expected)
        {
            loops.Next().RunOnce(TimeSpan.FromMilliseconds(1));
        }
    }

    // Fewer messages than the stream keeps, so that each of them is delivered.
    private static void PublishAndRead(EventLoopGroup loops, MessageTarget target, Counter reader, byte[] body)
    {
        int expected = reader.Received + 50;
        for (int i = 0; i < 50; i++)
        {
            target.Publish("S"u8, body);
        }

        while (reader.Received < expected)
        {
            loops.Next().RunOnce(TimeSpan.FromMilliseconds(1));
        }
    }

    private static void Run(EventLoopGroup loops, Func<bool> until)
    {
        while (!until())
        {
            loops.Next().RunOnce(TimeSpan.FromMilliseconds(1));
        }
    }

    private sealed class Counter : IMessageTargetHandler
    {
        public int Received { get; private set; }

        public void OnMessages(MessageBatch batch) => Received += batch.Count;
    }
}
