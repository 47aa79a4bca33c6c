using System.Runtime.Versioning;
using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Sockets;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Patterns;

/// <summary>Heartbeats keep a peer that is slow and close one that has vanished.</summary>
public sealed class SlowAndVanishedPeersTests
{
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    public static TheoryData<RigTransport> SystemTransports => Rig.SystemTransports;

    // The peer answers no PING: its PONG would come behind the message. Its PING announces a time-to-live of 3 s. The
    // message takes 9 s. A thread of its own sends it, so that a busy thread pool cannot make a pause of 3 s.
    [Theory]
    [MemberData(nameof(SystemTransports))]
    public async Task A_peer_whose_message_arrives_slowly_keeps_its_connection(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        LoopPull pull = rig.Pull(o => o with { HeartbeatInterval = 3 * Interval });
        using RawPeer push = new RawPeer(pull.Bind(rig.AnyPort)).Handshake("PUSH");
        push.Send(Wire.Command("PING", 0, 30, 1));
        byte[] message = Wire.Message(Wire.Filled(600));
        var sending = new Thread(() =>
        {
            for (int at = 0; at < message.Length; at += 4)
            {
                Thread.Sleep(60);
                push.Send(message[at..Math.Min(at + 4, message.Length)]);
            }
        });
        sending.Start();
        Assert.Equal(2 * 600, (await rig.Messages.TakeAsync()).Length);
        sending.Join();
    }

    [Theory]
    [InlineData(RigTransport.Tcp)]
    [InlineData(RigTransport.TcpPortable)]
    [SupportedOSPlatform("linux")]
    public async Task A_peer_that_vanishes_while_messages_wait_for_it_is_closed(RigTransport transport)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only Linux tells what was acknowledged");
        await using var rig = new Rig(transport);
        LoopPush push = rig.Push(o => o with { HeartbeatInterval = Interval });
        using RawPeer pull = new RawPeer(push.Bind(rig.AnyPort)).Handshake("PULL");
        await rig.EventAsync(ZeroMqEventKind.PeerConnected);
        pull.Vanish();
        await FillAsync(rig, push);
        long begin = Environment.TickCount64;
        Assert.Contains("acknowledgement", (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason, StringComparison.Ordinal);
        Assert.InRange(Environment.TickCount64 - begin, 900, 30_000);
    }

    [Fact]
    [SupportedOSPlatform("linux")]
    public async Task A_subscriber_that_vanishes_while_messages_wait_for_it_is_closed()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only Linux tells what was acknowledged");
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher(o => o with { HeartbeatInterval = Interval });
        using RawPeer subscriber = new RawPeer(publisher.Bind(rig.AnyPort)).Handshake("SUB").Send(Wire.Frame(0, 1));
        await rig.InterestAsync("+");
        subscriber.Vanish();
        for (int i = 0; i < 100; i++)
        {
            await rig.PublishAsync(publisher, Wire.Filled(100_000));
        }

        Assert.Contains("acknowledgement", (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(RigTransport.Tcp)]
    [InlineData(RigTransport.TcpPortable)]
    public async Task A_peer_that_takes_no_messages_for_many_heartbeats_keeps_its_connection(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        LoopPush push = rig.Push(o => o with { HeartbeatInterval = Interval });
        using RawPeer pull = new RawPeer(push.Bind(rig.AnyPort)).Handshake("PULL");
        await rig.EventAsync(ZeroMqEventKind.PeerConnected);
        await FillAsync(rig, push);
        await Task.Delay(6 * Interval, TestContext.Current.CancellationToken);
        Assert.DoesNotContain(rig.Events.TakeAll(), e => e.Kind is ZeroMqEventKind.PeerRefused or ZeroMqEventKind.PeerDisconnected);
    }

    private static Task FillAsync(Rig rig, LoopPush push) => rig.DoAsync(() =>
    {
        byte[] part = Wire.Filled(100_000);
        while (push.TrySend(part))
        {
        }
    });
}
