using Broker.Client.Subscriptions;
using Broker.Client.Tests.Support;

namespace Broker.Client.Tests;

public sealed class AllocationTests
{
    private const int Messages = 200_000;

    // What timers, the test's own tasks and the sampling of the counter take; the same for any number of messages.
    private const long Allowance = 100_000;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Publishing_and_receiving_allocate_nothing_for_a_message(bool onLoop)
    {
        using var server = NatsServer.Start();
        await using BrokerConnection connection = await BrokerConnection.ConnectAsync(new() { Servers = [server.Url] }, Token);
        long received = 0;
        long expected = 0;
        using var complete = new AutoResetEvent(false);
        connection.Subscribe("alloc", (in MessageView m) =>
        {
            if (++received == Volatile.Read(ref expected))
            {
                complete.Set();
            }
        });
        byte[] body = new byte[64];
        void Publish()
        {
            for (int i = 0; i < 1000; i++)
            {
                connection.TryPublish("alloc"u8, body, "reply"u8);
            }
        }

        void Round(int count)
        {
            Volatile.Write(ref expected, Volatile.Read(ref received) + count);
            for (int i = 0; i < count; i += 1000)
            {
                if (onLoop)
                {
                    connection.Loop.Post(Publish);
                }
                else
                {
                    Publish();
                }
            }

            Assert.True(complete.WaitOne(Wait.Limit));
        }

        // The first rounds compile the code and fill the pools.
        Round(Messages);
        Round(Messages);
        long before = GC.GetTotalAllocatedBytes(precise: true);
        Round(Messages);
        long once = GC.GetTotalAllocatedBytes(precise: true) - before;
        Assert.InRange(once, 0, Allowance);
    }
}
