using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Sockets;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Patterns;

public sealed class PausedHeartbeatTests
{
    public static TheoryData<RigTransport> SystemTransports => Rig.SystemTransports;

    private static readonly byte[] Welcome = Wire.Join(Wire.Greeting(), Wire.Ready("PULL"));

    [Theory]
    [MemberData(nameof(SystemTransports))]
    public async Task A_ping_received_behind_unread_messages_is_answered_once(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        bool takes = false;
        LoopPull pull = rig.Pull(onMessage: (peer, in message) => takes && rig.Record(peer, message));
        using RawPeer push = new RawPeer(pull.Bind(rig.AnyPort)).Handshake("PUSH");
        Assert.Equal(Welcome, push.Read(Welcome.Length));

        // Bytes of a message that look like a PING are not a PING.
        push.Send(Wire.Join(
            Wire.Message([1]), Wire.Message(Wire.Command("PING", 0, 0, 7)), Wire.Message([2]), Ping(8), Wire.Message(Wire.Filled(300)), Ping(9), Wire.Message([3])));
        Assert.Equal(Wire.Join(Pong(8), Pong(9)), push.Read(2 * Pong(8).Length));

        // Each message is refused once more; PINGs that were answered are not answered again.
        for (int i = 0; i < 3; i++)
        {
            await rig.DoAsync(pull.ResumeReceiving);
        }

        await rig.DoAsync(() => takes = true);
        await rig.DoAsync(pull.ResumeReceiving);
        Assert.Equal("01", await rig.Messages.TakeAsync());
        for (int i = 0; i < 3; i++)
        {
            await rig.Messages.TakeAsync();
        }

        Assert.Equal("03", await rig.Messages.TakeAsync());
        push.Send(Ping(10));
        Assert.Equal(Pong(10), push.Read(Pong(10).Length));
    }

    // libzmq puts commands between the frames of a message.
    [Theory]
    [MemberData(nameof(SystemTransports))]
    public async Task A_ping_within_an_unread_message_is_answered_once_and_so_is_the_next(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        bool takes = false;
        LoopPull pull = rig.Pull(onMessage: (peer, in message) => takes && rig.Record(peer, message));
        using RawPeer push = new RawPeer(pull.Bind(rig.AnyPort)).Handshake("PUSH");
        Assert.Equal(Welcome, push.Read(Welcome.Length));

        push.Send(Wire.Join(Wire.Frame(1, 1), Ping(8), Wire.Frame(0, 2), Wire.Frame(1, 3), Ping(9), Wire.Frame(0, 4)));
        Assert.Equal(Wire.Join(Pong(8), Pong(9)), push.Read(2 * Pong(8).Length));
        for (int i = 0; i < 3; i++)
        {
            await rig.DoAsync(pull.ResumeReceiving);
        }

        await rig.DoAsync(() => takes = true);
        await rig.DoAsync(pull.ResumeReceiving);
        Assert.Equal("01,02", await rig.Messages.TakeAsync());
        Assert.Equal("03,04", await rig.Messages.TakeAsync());
        push.Send(Ping(10));
        Assert.Equal(Pong(10), push.Read(Pong(10).Length));
    }

    [Theory]
    [MemberData(nameof(SystemTransports))]
    public async Task Unread_bytes_are_not_validated_before_they_are_decoded(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        bool takes = false;
        LoopPull pull = rig.Pull(onMessage: (peer, in message) => takes && rig.Record(peer, message));
        using RawPeer push = new RawPeer(pull.Bind(rig.AnyPort)).Handshake("PUSH");
        Assert.Equal(Welcome, push.Read(Welcome.Length));
        push.Send(Wire.Join(Wire.Message([1]), Ping(8), [2, 255, 255, 255, 255, 255, 255, 255, 255], Ping(9)));
        Assert.Equal(Pong(8), push.Read(Pong(8).Length));

        await rig.DoAsync(() => takes = true);
        await rig.DoAsync(pull.ResumeReceiving);
        Assert.Equal("01", await rig.Messages.TakeAsync());
        byte[] reason = Wire.Ascii("a-frame-length-is-above-2^63-1");
        Assert.Equal(Wire.Command("ERROR", [(byte)reason.Length, .. reason]), push.ReadToEnd());
        await rig.EventAsync(Broker.ZeroMq.ZeroMqEventKind.PeerRefused);
    }

    private static byte[] Ping(byte context) => Wire.Command("PING", 0, 0, context);

    private static byte[] Pong(byte context) => Wire.Command("PONG", context);
}
