using Broker.Transport;
using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Sockets;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Threads;

/// <summary>A sending thread does the work of the loop itself.</summary>
public sealed class SendingThreadTests
{
    public static TheoryData<RigTransport> Transports => Rig.Transports;

    [Fact]
    public void Messages_are_sent_although_the_loop_is_busy()
    {
        // Less than any system's buffers, because a paused sender needs the loop to continue, and more than what is
        // collected before a flush.
        const int Count = 40;
        const int Certain = 30;
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        using var context = new ZeroMqContext(loops);
        using var pull = new PullSocket();
        using var push = new PushSocket(context: context);
        push.Connect(pull.Bind("tcp://127.0.0.1:*"));
        push.Send("first");
        Assert.Equal("first", pull.ReceiveString());

        using var isBusy = new ManualResetEventSlim();
        using var done = new ManualResetEventSlim();
        loops[0].Post(() =>
        {
            isBusy.Set();
            done.Wait();
        });
        Assert.True(isBusy.Wait(Wait.Limit, TestContext.Current.CancellationToken));
        try
        {
            byte[] body = new byte[1024];
            for (int i = 0; i < Count; i++)
            {
                body[0] = (byte)i;
                push.Send(body);
            }

            for (int i = 0; i < Certain; i++)
            {
                Assert.Equal(i, pull.ReceiveBytes()[0]);
            }
        }
        finally
        {
            done.Set();
        }

        for (int i = Certain; i < Count; i++)
        {
            Assert.Equal(i, pull.ReceiveBytes()[0]);
        }
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task A_message_written_to_a_connection_that_just_ended_is_sent_on_the_next_one(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        LoopPush push = rig.Push();
        push.IsShared = true;
        push.Connect(rig.Pull().Bind(rig.AnyPort).ToString());
        await rig.ConnectedAsync();

        SendWhileItEnds();

        Assert.Equal("31", await rig.Messages.TakeAsync());
        Assert.Equal("32", await rig.Messages.TakeAsync());
        Assert.Equal("33", await rig.Messages.TakeAsync());
        await rig.DoAsync(() => Assert.Empty(rig.Messages.TakeAll()));

        void SendWhileItEnds()
        {
            // The loop cannot detach the pipe before the gate is free.
            lock (push.PipeGate)
            {
                ZeroMqPeer peer = Assert.Single(push.Peers);
                peer.Close("for the test");
                Wait.Until(() => !peer.IsConnected);
                Assert.True(push.TrySend(Wire.Ascii("1")));
                push.FlushPipes();
                Assert.True(push.TrySend(Wire.Ascii("2")));
                Assert.True(push.TrySend(Wire.Ascii("3")));
                push.FlushPipes();
            }
        }
    }
}
