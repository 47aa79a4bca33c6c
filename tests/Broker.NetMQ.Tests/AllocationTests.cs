using Broker.Bridge;
using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMQ.Tests;

/// <summary>
/// On the poller's thread an attachment allocates no more than a handler of a program that only receives or sends. A
/// pool keeps the buffers of the messages, so that NetMQ's arrays do not hide ours.
/// </summary>
public sealed class AllocationTests : IDisposable
{
    private const int Messages = 20_000;
    private const int Rounds = 5;

    // Half of the smallest object for each message. A wake-up of the poller costs one Task for a batch of messages.
    private const long Allowance = 12 * Messages;

    public AllocationTests() => BufferPool.SetCustomBufferPool(new KeepingPool());

    public void Dispose() => BufferPool.SetGCBufferPool();

    [Fact]
    public async Task Messages_to_the_route_allocate_nothing_of_ours()
    {
        await using Site site = await Site.StartAsync();
        long plain = await LeastAsync(site, "plain", pull =>
        {
            Msg message = default;
            int received = 0;
            pull.ReceiveReady += (_, e) =>
            {
                for (int i = 0; i < 128; i++)
                {
                    message.InitEmpty();
                    if (!e.Socket.TryReceive(ref message, TimeSpan.Zero))
                    {
                        return;
                    }

                    message.Close();
                    Volatile.Write(ref received, received + 1);
                }
            };
            return Task.FromResult<Func<long>>(() => Volatile.Read(ref received));
        });
        long attached = await LeastAsync(site, "attached", async pull =>
        {
            NetMQAttachment incoming = await site.AttachAsync(pull, new PubSubRouteOptions());
            return () => incoming.GetSnapshot().ToRoute;
        });

        Assert.InRange(attached - plain, long.MinValue, Allowance);
    }

    [Fact]
    public async Task Messages_from_the_route_allocate_nothing_of_ours()
    {
        await using Site site = await Site.StartAsync();
        Broker.Client.BrokerConnection client = await site.ClientAsync();
        PushSocket push = site.Poll(new PushSocket("@inproc://from-route"));
        using var puller = new PullSocket(">inproc://from-route");
        await using NetMQAttachment outgoing = await site.AttachAsync(push, new PubSubRouteOptions());
        await Wait.UntilAsync(() =>
        {
            client.Publish("zmq.probe", "x"u8);
            return puller.HasIn;
        });
        Drain(puller);
        byte[] body = new byte[64];
        long attached = long.MaxValue;
        for (int round = 0; round < Rounds; round++)
        {
            long before = await AllocatedAsync(site.Poller);
            for (int i = 0; i < Messages; i += 100)
            {
                for (int m = 0; m < 100; m++)
                {
                    client.Publish("zmq.t", body);
                }

                Receive(puller, 2 * 100);
            }

            attached = Math.Min(attached, await AllocatedAsync(site.Poller) - before);
        }

        long plain = await PlainSendsAsync(site);

        Assert.InRange(attached - plain, long.MinValue, Allowance);
    }

    // The same frames, sent by an action of the program on the poller's thread.
    private static async Task<long> PlainSendsAsync(Site site)
    {
        PushSocket push = site.Poll(new PushSocket("@inproc://plain-sends"));
        using var puller = new PullSocket(">inproc://plain-sends");
        byte[] body = new byte[64];
        long least = long.MaxValue;
        for (int round = 0; round < Rounds; round++)
        {
            long before = await AllocatedAsync(site.Poller);
            for (int i = 0; i < Messages; i += 100)
            {
                site.Poller.Run(() =>
                {
                    for (int frame = 0; frame < 2 * 100; frame++)
                    {
                        Msg message = default;
                        message.InitPool(body.Length);
                        body.CopyTo(message.Slice());
                        Assert.True(push.TrySend(ref message, TimeSpan.Zero, more: frame % 2 == 0));
                    }
                });
                Receive(puller, 2 * 100);
            }

            least = Math.Min(least, await AllocatedAsync(site.Poller) - before);
        }

        return least;
    }

    private static async Task<long> LeastAsync(Site site, string name, Func<PullSocket, Task<Func<long>>> attach)
    {
        PullSocket pull = site.Poll(new PullSocket($"@inproc://allocation-{name}"));
        using var pusher = new PushSocket($">inproc://allocation-{name}");
        Func<long> passed = await attach(pull);
        byte[] body = new byte[64];
        long least = long.MaxValue;
        for (int round = 0; round < Rounds; round++)
        {
            long target = passed() + Messages;
            long before = await AllocatedAsync(site.Poller);
            for (int i = 0; i < Messages; i++)
            {
                Assert.True(pusher.TrySendFrame(Wait.Limit, body));
            }

            await Wait.UntilAsync(() => passed() >= target);
            least = Math.Min(least, await AllocatedAsync(site.Poller) - before);
        }

        return least;
    }

    /// <summary>Returns what the poller's thread has allocated.</summary>
    private static async Task<long> AllocatedAsync(NetMQPoller poller)
    {
        TaskCompletionSource<long> bytes = Wait.Source<long>();
        poller.Run(() => bytes.SetResult(GC.GetAllocatedBytesForCurrentThread()));
        return await Wait.For(bytes);
    }

    private static void Receive(PullSocket puller, int frames)
    {
        Msg message = default;
        for (int i = 0; i < frames; i++)
        {
            message.InitEmpty();
            Assert.True(puller.TryReceive(ref message, Wait.Limit));
            message.Close();
        }
    }

    private static void Drain(PullSocket puller)
    {
        while (puller.TryReceiveFrameBytes(TimeSpan.FromMilliseconds(200), out _))
        {
        }
    }

    /// <summary>Keeps all arrays of 64 bytes that come back.</summary>
    private sealed class KeepingPool : IBufferPool
    {
        private const int Size = 64;

        private readonly Stack<byte[]> _kept = new(4096);

        public byte[] Take(int size)
        {
            lock (_kept)
            {
                return size <= Size && _kept.TryPop(out byte[]? array) ? array : new byte[Math.Max(size, Size)];
            }
        }

        public void Return(byte[] buffer)
        {
            lock (_kept)
            {
                if (buffer.Length == Size)
                {
                    _kept.Push(buffer);
                }
            }
        }

        public void Dispose()
        {
        }
    }
}
