using System.Text;
using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Sockets;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Patterns;

public sealed class PipelineLifetimeTests
{
    public static TheoryData<RigTransport> Transports => Rig.Transports;

    public static TheoryData<RigTransport> SystemTransports => Rig.SystemTransports;

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Messages_queued_for_an_endpoint_are_sent_within_the_linger_even_if_it_is_bound_after_the_close(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        LoopPush push = rig.Push();
        string endpoint = PushPullTests.FreeEndpoint(rig);
        push.Connect(endpoint);
        await rig.DoAsync(() =>
        {
            Assert.True(push.TrySend("1"u8));
            Assert.True(push.TrySend("2"u8));
        });
        Task<ZeroMqCloseReport> closing = push.CloseAsync(Wait.Limit);
        Assert.False(await rig.OnLoopAsync(() => push.TrySend("3"u8)));
        rig.Pull().Bind(endpoint);
        Assert.Equal("31", await rig.Messages.TakeAsync());
        Assert.Equal("32", await rig.Messages.TakeAsync());
        Assert.Equal(0, (await closing.WaitAsync(Wait.Limit, TestContext.Current.CancellationToken)).Undelivered);
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Messages_queued_for_an_endpoint_that_is_never_bound_are_counted_after_the_linger(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        LoopPush push = rig.Push();
        push.Connect(PushPullTests.FreeEndpoint(rig));
        await rig.DoAsync(() =>
        {
            for (int i = 0; i < 5; i++)
            {
                Assert.True(push.TrySend("1"u8));
            }
        });
        Assert.Equal(5, (await push.CloseAsync(TimeSpan.FromMilliseconds(50))).Undelivered);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_pull_that_is_killed_and_restarted_gets_the_messages_that_had_not_been_sent(bool portable)
    {
        await using var rig = new Rig(portable: portable);
        LoopPush push = rig.Push(o => o with { SendHighWaterMark = 100 });
        string endpoint = PushPullTests.FreeEndpoint(rig);
        push.Connect(endpoint);
        using (LibzmqPeer first = await LibzmqPeer.StartAsync("PULL", "bind", endpoint, "RCVHWM=1"))
        {
            await first.DoAsync("pause");
            await rig.EventAsync(ZeroMqEventKind.PeerConnected);
            var pump = new Pump(rig, push, 100_000, sent => [Wire.Ascii($"{sent}"), new byte[20_000]]);
            await pump.HeldUp.Task.WaitAsync(Wait.Limit, TestContext.Current.CancellationToken);
            push.OnWritable = null;
            first.Kill();
            await rig.EventAsync(ZeroMqEventKind.PeerDisconnected);
            int sent = pump.Sent;
            using LibzmqPeer second = await LibzmqPeer.StartAsync("PULL", "bind", endpoint);
            var numbers = new List<int>();
            do
            {
                string frame = (await second.ReceiveAsync()).Split(',')[0];
                numbers.Add(int.Parse(Encoding.ASCII.GetString(Convert.FromHexString(frame)), null));
            }
            while (numbers[^1] != sent - 1);

            Assert.Equal(Enumerable.Range(sent - numbers.Count, numbers.Count), numbers);
            Assert.InRange(numbers.Count, 1, 101);
        }
    }

    [Theory]
    [MemberData(nameof(SystemTransports))]
    public async Task Nothing_is_received_of_the_partial_message_of_a_killed_push_and_its_successor_is_served(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        LoopPull pull = rig.Pull();
        ZeroMqEndpoint endpoint = pull.Bind(rig.AnyPort);
        using (RawPeer half = new RawPeer(endpoint).Handshake("PUSH").Send(Wire.Message([1])).Send(Wire.Message([2], [3])[..^1]))
        {
            Assert.Equal("01", await rig.Messages.TakeAsync());
        }

        await rig.EventAsync(ZeroMqEventKind.PeerDisconnected);
        using RawPeer next = new RawPeer(endpoint).Handshake("PUSH").Send(Wire.Message([4]));
        Assert.Equal("04", await rig.Messages.TakeAsync());
        Assert.Single(pull.Peers);
    }

    [Theory]
    [MemberData(nameof(SystemTransports))]
    public async Task A_paused_peer_is_not_closed_for_its_silence(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        LoopPull pull = rig.Pull(o => o with { HeartbeatInterval = TimeSpan.FromMilliseconds(20), HeartbeatTimeout = TimeSpan.FromMilliseconds(20) });
        ZeroMqEndpoint endpoint = pull.Bind(rig.AnyPort);
        await rig.DoAsync(pull.PauseReceiving);

        // The peer answers nothing at all, but its connection stays open as long as nothing is read from it.
        using RawPeer push = new RawPeer(endpoint).Handshake("PUSH").Send(Wire.Message([1]));
        byte[] ping = Wire.Command("PING", 0, 0);
        byte[] expected = Wire.Join([Wire.Greeting(), Wire.Ready("PULL"), .. Enumerable.Repeat(ping, 10)]);
        Assert.Equal(expected, push.Read(expected.Length));
        Assert.DoesNotContain(rig.Events.TakeAll(), e => e.Kind is ZeroMqEventKind.PeerRefused or ZeroMqEventKind.PeerDisconnected);
        await rig.DoAsync(pull.ResumeReceiving);
        Assert.Equal("01", await rig.Messages.TakeAsync());
        Assert.Equal("no answer to heartbeats", (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason);
    }

    [Theory]
    [MemberData(nameof(SystemTransports))]
    public async Task The_disconnect_of_a_paused_peer_is_detected_if_no_bytes_are_buffered(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        LoopPull pull = rig.Pull();
        ZeroMqEndpoint endpoint = pull.Bind(rig.AnyPort);
        RawPeer peer = new RawPeer(endpoint).Handshake("PUSH");
        await rig.EventAsync(ZeroMqEventKind.PeerConnected);
        await rig.DoAsync(pull.PauseReceiving);
        peer.Dispose();
        await rig.EventAsync(ZeroMqEventKind.PeerDisconnected);
        Assert.True(pull.IsReceivingPaused);
    }
}
