using Broker.Client.Tests.Support;

namespace Broker.Client.Tests;

public sealed class AllocationTests
{
    private const int Messages = 400_000;
    private const int Portion = 10_000;
    private const int Call = 1000;

    // The allocations of timers, of the test's own tasks and of the sampling of the counter. They are the same for any
    // number of messages.
    private const long Allowance = 100_000;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(ServerKind.Broker, true)]
    [InlineData(ServerKind.Broker, false)]
    [InlineData(ServerKind.Nats, true)]
    [InlineData(ServerKind.Nats, false)]
    public async Task Publishing_and_receiving_allocate_nothing_for_a_message(ServerKind kind, bool onLoop)
    {
        await using AnyServer server = await AnyServer.StartAsync(kind);
        await using BrokerConnection connection = await Patient.ConnectAsync(server.Options, Token);
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
        Action publish = () =>
        {
            for (int i = 0; i < Call; i++)
            {
                connection.TryPublish("alloc"u8, body, "reply"u8);
            }
        };

        // The messages are sent in portions, so that the waiting bytes fit into the pools.
        void Round()
        {
            for (int sent = 0; sent < Messages; sent += Portion)
            {
                Volatile.Write(ref expected, Volatile.Read(ref received) + Portion);
                for (int i = 0; i < Portion; i += Call)
                {
                    if (onLoop)
                    {
                        connection.Loop.Post(publish);
                    }
                    else
                    {
                        publish();
                    }
                }

                Assert.True(complete.WaitOne(Wait.Limit));
            }
        }

        // The first rounds compile the code and fill the pools. Allocations for each message would show in every later
        // round. A single allocation, such as a pool that grows because a thread had to wait for a processor, does not.
        Round();
        Round();
        long least = long.MaxValue;
        for (int i = 0; i < 3; i++)
        {
            long before = GC.GetTotalAllocatedBytes(precise: true);
            Round();
            least = Math.Min(least, GC.GetTotalAllocatedBytes(precise: true) - before);
        }

        Assert.InRange(least, 0, Allowance);
    }
}
