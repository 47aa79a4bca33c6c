using System.Buffers.Binary;
using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Sockets;

public sealed class SeveralLoopsTests
{
    private const int LoopCount = 3;
    private const int Receivers = 6;
    private const int PerLoop = 20_000;
    private const int PerTurn = 100;

    [Fact]
    public async Task Loops_that_publish_at_the_same_time_keep_their_order_and_lose_nothing_while_subscriptions_change()
    {
        await using var rig = new Rig(LoopCount);
        await using var others = new Rig(LoopCount);
        LoopPublisher publisher = rig.Publisher(o => o with { HighWaterMark = 1 << 30 });
        ZeroMqEndpoint endpoint = publisher.Bind("tcp://127.0.0.1:*");
        var ledgers = new Ledger[Receivers];
        var churners = new LoopSubscriber[Receivers];
        for (int i = 0; i < Receivers; i++)
        {
            ledgers[i] = new Ledger();
            churners[i] = others.Subscriber(onMessage: ledgers[i].Take);
            churners[i].Subscribe("t"u8);
            churners[i].Subscribe(Wire.Ascii($"ready{i}"));
            churners[i].Connect(endpoint.ToString());
            await rig.InterestAsync($"+ready{i}");
        }

        using var stop = new CancellationTokenSource();
        var random = new Random(Seed.Next());
        var churn = Task.Run(() => Churn(churners, random, stop.Token), TestContext.Current.CancellationToken);
        byte[] body = new byte[100];
        for (int sent = 0; sent < PerLoop; sent += PerTurn)
        {
            int first = sent;
            IEnumerable<Task<int>> turns = Enumerable.Range(0, LoopCount).Select(loop => rig.OnLoopAsync(() => PublishTurn(loop, first), loop));
            Assert.All(await Task.WhenAll(turns), reached => Assert.Equal(PerTurn * Receivers, reached));
        }

        foreach (Ledger ledger in ledgers)
        {
            await Wait.For(ledger.Done);
        }

        await stop.CancelAsync();
        await churn;
        Assert.All(ledgers, ledger => Assert.Null(ledger.Fault));
        Assert.Equal(0, publisher.MessagesDropped);
        Assert.All(publisher.Peers, peer => Assert.Equal(LoopCount * PerLoop, peer.MessagesSent));

        int PublishTurn(int loop, int first)
        {
            Span<byte> topic = stackalloc byte[6];
            topic[0] = (byte)'t';
            topic[1] = (byte)loop;
            int reached = 0;
            for (int i = 0; i < PerTurn; i++)
            {
                BinaryPrimitives.WriteInt32LittleEndian(topic[2..], first + i);
                reached += publisher.Publish(rig.Loops[loop], topic, body.AsSpan(0, i));
            }

            return reached;
        }
    }

    private static void Churn(LoopSubscriber[] sockets, Random random, CancellationToken stop)
    {
        while (!stop.IsCancellationRequested)
        {
            byte[] prefix = [(byte)'u', (byte)random.Next(50), (byte)random.Next(4)];
            LoopSubscriber socket = sockets[random.Next(sockets.Length)];
            socket.Subscribe(prefix);
            socket.Unsubscribe(prefix);
            Thread.Yield();
        }
    }

    /// <summary>Checks that the messages of each publishing loop are complete and in order.</summary>
    private sealed class Ledger
    {
        private readonly int[] _next = new int[LoopCount];

        public TaskCompletionSource Done { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public string? Fault { get; private set; }

        public bool Take(ZeroMqPeer peer, in ZmtpMessage message)
        {
            ReadOnlySpan<byte> topic = message.FirstFrame.Body;
            int loop = topic[1];
            int number = BinaryPrimitives.ReadInt32LittleEndian(topic[2..]);
            if (number != _next[loop]++ || message.FrameCount != 2 || message.BodySize != topic.Length + (number % PerTurn))
            {
                Fault ??= $"loop {loop}: {number} came, {_next[loop] - 1} was due";
            }

            if (_next.Sum() == LoopCount * PerLoop)
            {
                Done.TrySetResult();
            }

            return true;
        }
    }
}
