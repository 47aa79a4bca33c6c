using System.Text;
using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Sockets;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Patterns;

public sealed class ForwarderTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    public static TheoryData<RigTransport> Transports => Rig.Transports;

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Everything_arrives_once_and_in_each_senders_order_although_the_receiver_pauses(RigTransport transport)
    {
        const int Pushers = 3;
        const int Each = 20_000;
        await using var rig = new Rig(transport);
        await using var forwarder = new LoopForwarder(
            rig.Loop,
            new LoopMessageOptions { Inproc = rig.Names },
            new LoopMessageOptions { SendHighWaterMark = 64, Inproc = rig.Names });
        int[] next = new int[Pushers];
        int count = 0;
        int refused = 0;
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        LoopPull pull = null!;
        pull = rig.Pull(onMessage: (ZeroMqPeer _, in ZmtpMessage message) =>
        {
            // The handler refuses the message once and takes it at its second delivery.
            if (count % 997 == 0 && refused <= count / 997)
            {
                refused++;
                rig.Loop.StartTimer(TimeSpan.FromMilliseconds(3), pull.ResumeReceiving);
                return false;
            }

            string[] words = Encoding.ASCII.GetString(message.FirstFrame.Body).Split(' ');
            int pusher = int.Parse(words[0], null);
            if (int.Parse(words[1], null) != next[pusher]++)
            {
                done.TrySetException(new InvalidOperationException($"{words[0]}: {words[1]} came, {next[pusher] - 1} was due"));
            }

            if (++count == Pushers * Each)
            {
                done.TrySetResult();
            }

            return true;
        });
        pull.Connect(forwarder.Back.Bind(rig.AnyPort).ToString());
        string endpoint = forwarder.Front.Bind(rig.AnyPort).ToString();
        for (int i = 0; i < Pushers; i++)
        {
            int number = i;
            LoopPush push = rig.Push(o => o with { SendHighWaterMark = 100 });
            push.Connect(endpoint);
            _ = new Pump(rig, push, Each, sent => [Wire.Ascii($"{number} {sent}"), new byte[sent % 400]]);
        }

        await Wait.For(done);
        Assert.All(next, n => Assert.Equal(Each, n));
        Assert.InRange(refused, 30, 100);
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task If_nobody_receives_the_senders_block_and_memory_stays_bounded(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        var options = new LoopMessageOptions { Inproc = rig.Names };
        await using var forwarder = new LoopForwarder(rig.Loop, options, options);
        LoopPush push = rig.Push(o => o with { SendHighWaterMark = 10 });
        push.Connect(forwarder.Front.Bind(rig.AnyPort).ToString());
        await rig.EventAsync(ZeroMqEventKind.PeerConnected);
        var pump = new Pump(rig, push, 100_000, _ => [new byte[10_000]]);
        await Wait.For(pump.HeldUp);
        Assert.InRange(rig.Loops.BufferedBytes, 0, 1 << 20);
        Assert.InRange(pump.Sent, 10, 5_000);
        Assert.Equal(0, forwarder.Back.Room);

        rig.Pull().Connect(forwarder.Back.Bind(rig.AnyPort).ToString());
        int sent = pump.Sent;
        for (int i = 0; i < sent; i++)
        {
            await rig.Messages.TakeAsync();
        }
    }
}
