using System.Reflection;
using System.Runtime.CompilerServices;

namespace Broker.ZeroMq.Tests.Threads;

public sealed class SocketAllocationTests
{
    // An allocation per message occurs in each round. Other allocations may occur in a single round: the event of a
    // lock that is contended for the first time, a chunk when more messages wait than ever before, or the runtime's
    // compiler.
    private const int Rounds = 40;
    private const int PerRound = 25_000;

    // Less than any allocation for a fraction of the messages would cost.
    private const int Allowed = 512;

    [Theory]
    [InlineData(64)]
    [InlineData(1000)]
    public async Task Sending_and_receiving_allocate_nothing_per_message(int size)
    {
        await using var pair = new PushPull();
        byte[] body = new byte[size];
        long sending = long.MaxValue;
        var sender = new Thread(() =>
        {
            using var message = new ZeroMqMessage(body);
            sending = LeastOfRounds(i =>
            {
                if (i % 2 == 0)
                {
                    pair.Push.Send(body);
                }
                else
                {
                    pair.Push.Send(message);
                }
            });
        });
        sender.Start();
        byte[] buffer = new byte[size];
        using var received = new ZeroMqMessage();
        long receiving = LeastOfRounds(i =>
        {
            if (i % 2 == 0)
            {
                pair.Pull.Receive(buffer);
            }
            else
            {
                pair.Pull.Receive(received);
            }
        });

        Assert.True(sender.Join(Wait.Limit));
        Assert.InRange(receiving, 0, Allowed);
        Assert.InRange(sending, 0, Allowed);
    }

    [Fact]
    public async Task Awaiting_an_available_message_allocates_nothing()
    {
        await using var pair = new PushPull(new ZeroMqSocketOptions { SendHighWaterMark = 0, ReceiveHighWaterMark = 0 });
        byte[] body = new byte[64];
        byte[] buffer = new byte[64];
        using var message = new ZeroMqMessage(body);
        using var received = new ZeroMqMessage();
        const int Messages = 5000;
        long least = long.MaxValue;
        for (int round = 0; round < Rounds; round++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int i = 0; i < Messages / 2; i++)
            {
                Assert.True(IsDone(pair.Push.SendAsync(body.AsMemory(), CancellationToken.None)));
                Assert.True(IsDone(pair.Push.SendAsync(message, CancellationToken.None)));
            }

            long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
            PullSocket source = pair.Pull;
            int there = 0;
            while (there < Messages)
            {
                Wait.Until(() => source.HasMessages);
                before = GC.GetAllocatedBytesForCurrentThread();
                while (source.HasMessages)
                {
                    bool receive = there++ % 2 == 0
                        ? Discard(source.ReceiveAsync(buffer.AsMemory(), CancellationToken.None))
                        : IsDone(source.ReceiveAsync(received, CancellationToken.None));
                    Assert.True(receive);
                }

                allocated += GC.GetAllocatedBytesForCurrentThread() - before;
            }

            least = Math.Min(least, allocated);
        }

        Assert.InRange(least, 0, Allowed);

        static bool IsDone(ValueTask call) => call.IsCompletedSuccessfully;

        static bool Discard(ValueTask<int> receive) => receive.IsCompletedSuccessfully;
    }

    // The runtime decides how many pooled states it keeps for each thread and processor.
    [Fact]
    public void Awaiting_a_message_or_room_uses_pooled_state()
    {
        const BindingFlags All = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Static | BindingFlags.Instance | BindingFlags.DeclaredOnly;
        MethodInfo[] waits =
        [
            .. new[] { typeof(Receiving), typeof(Sending), typeof(MessageSocket), typeof(WaitList) }
                .SelectMany(type => type.GetMethods(All))
                .Where(method => method.IsDefined(typeof(AsyncStateMachineAttribute)) && method.ReturnType.Name.StartsWith("ValueTask", StringComparison.Ordinal))
                .Where(method => method.Name != nameof(MessageSocket.DisposeAsync)),
        ];
        Assert.InRange(waits.Length, 5, int.MaxValue);
        Assert.All(waits, method => Assert.StartsWith(
            "PoolingAsyncValueTaskMethodBuilder", method.GetCustomAttribute<AsyncMethodBuilderAttribute>()?.BuilderType.Name ?? method.Name, StringComparison.Ordinal));
    }

    // On the calling thread.
    private static long LeastOfRounds(Action<int> step)
    {
        long least = long.MaxValue;
        for (int round = 0; round < Rounds; round++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int i = 0; i < PerRound; i++)
            {
                step(i);
            }

            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        return least;
    }
}
