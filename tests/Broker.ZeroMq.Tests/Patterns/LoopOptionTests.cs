using System.Text;
using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Sockets;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Patterns;

/// <summary>Options and members of the publisher and the subscriber on loops that no thread-safe socket has.</summary>
public sealed class LoopOptionTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    [Fact]
    public async Task The_peer_that_exceeds_the_total_size_of_prefixes_is_refused_and_the_others_keep_theirs()
    {
        await using var rig = new Rig();
        LoopPublisher publisher = rig.Publisher(o => o with { MaxInterestBytes = 20 });
        ZeroMqEndpoint endpoint = publisher.Bind(AnyPort);
        using RawPeer first = new RawPeer(endpoint).Handshake("SUB").Send(Wire.Command("SUBSCRIBE", Wire.Filled(12, (byte)'a')));
        await rig.InterestAsync("+aaaaaaaaaaaa");
        using RawPeer second = new RawPeer(endpoint).Handshake("SUB").Send(Wire.Command("SUBSCRIBE", Wire.Filled(12, (byte)'b')));
        second.ReadToEnd();
        Assert.Contains("subscriptions", (await rig.EventAsync(ZeroMqEventKind.PeerRefused)).Reason, StringComparison.Ordinal);
        using RawPeer third = new RawPeer(endpoint).Handshake("SUB").Send(Wire.Command("SUBSCRIBE", Wire.Filled(8, (byte)'c')));
        await rig.InterestAsync("+cccccccc");
        Assert.Equal(1, await rig.PublishAsync(publisher, Wire.Filled(12, (byte)'a')));
        Assert.Equal(0, await rig.PublishAsync(publisher, Wire.Filled(12, (byte)'b')));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task Each_subscription_of_a_peer_is_reported_and_a_postponed_one_is_reported_again_before_later_ones(int loops)
    {
        await using var rig = new Rig(loops);
        var told = new Inbox<(ZeroMqPeer Peer, string What)>();
        bool takes = false;
        LoopPublisher publisher = rig.Publisher(o => o with
        {
            OnSubscription = (peer, prefix, subscribes) =>
            {
                told.Add((peer, (subscribes ? "+" : "-") + Encoding.ASCII.GetString(prefix)));
                return takes;
            },
        });
        using RawPeer raw = new RawPeer(publisher.Bind(AnyPort)).Handshake("SUB")
            .Send(Wire.Command("SUBSCRIBE", (byte)'a'), Wire.Command("SUBSCRIBE", (byte)'a'), Wire.Command("CANCEL", (byte)'a'));
        (ZeroMqPeer? peer, string? what) = await told.TakeAsync();
        Assert.Equal("+a", what);
        await Wait.UntilAsync(() => publisher.Peers.Count == 1);
        Assert.Equal(0, await rig.PublishAsync(publisher, Wire.Ascii("a")));
        Volatile.Write(ref takes, true);
        peer.Session.Loop.Post(peer.ResumeReceiving);
        foreach (string expected in (string[])["+a", "+a", "-a"])
        {
            Assert.Equal(expected, (await told.TakeAsync()).What);
        }

        await rig.InterestAsync("+a");
        await rig.InterestAsync("-a");
    }

    [Fact]
    public async Task Upstream_messages_reach_each_publisher_with_room_and_the_others_are_counted_as_dropped()
    {
        await using var rig = new Rig();
        LoopSubscriber subscriber = rig.Subscriber(o => o with { AnnounceExtended = true, MaxPendingBytes = 200_000 });
        ZeroMqEndpoint endpoint = subscriber.Bind(AnyPort);
        using RawPeer full = new RawPeer(endpoint).Handshake("XPUB");
        await rig.EventAsync(ZeroMqEventKind.PeerConnected);
        byte[] message = Wire.Message([9], new byte[100_000]);
        int sent = 0;
        while (await rig.OnLoopAsync(() => subscriber.SendUpstream(rig.Loop, message)) == 1)
        {
            Assert.InRange(++sent, 1, 10_000);
        }

        Assert.Equal(1, subscriber.MessagesDropped);
        var reads = new Inbox<string>();
        LoopPublisher xpub = rig.Publisher(o => o with { AnnounceExtended = true, OnMessage = rig.Record });
        xpub.Connect(endpoint.ToString());
        await rig.ConnectedAsync();

        // The kernel may have accepted some of the other peer's queue.
        Assert.InRange(await rig.OnLoopAsync(() => subscriber.SendUpstream(rig.Loop, Wire.Message([8], [7]))), 1, 2);
        Assert.Equal("08,07", await rig.Messages.TakeAsync());
        await Wait.UntilAsync(() => xpub.Peers.Single().MessagesReceived == 1);

        // The peer that was full has received whole messages: all that were accepted for it.
        byte[] expected = Wire.Join(Wire.Greeting(), Wire.Ready("XSUB"), message);
        Assert.Equal(expected, full.Read(expected.Length));
        for (int i = 1; i < sent; i++)
        {
            Assert.Equal(message, full.Read(message.Length));
        }
    }

    // A message of this size uses a buffer alone and leaves a part of it unused, so the buffered size grows by more
    // than the message.
    [Theory]
    [InlineData(40_000, 1)]
    [InlineData(70_000, 1)]
    [InlineData(100_000, 1)]
    [InlineData(40_000, 3)]
    [InlineData(500, 3)]
    public async Task A_publisher_that_reads_no_upstream_messages_loses_them_and_keeps_its_connection(int size, int loops)
    {
        byte[] message = Wire.Message([9], new byte[size]);
        for (long mark = 1_000_000; mark < 1_064_000; mark += 8_000)
        {
            await using var rig = new Rig(loops);
            LoopSubscriber subscriber = rig.Subscriber(o => o with { AnnounceExtended = true, MaxPendingBytes = mark });
            using RawPeer full = new RawPeer(subscriber.Bind(AnyPort)).Handshake("XPUB");
            await rig.EventAsync(ZeroMqEventKind.PeerConnected);
            int refused = 0;
            for (int turn = 0; refused < 10; turn++)
            {
                Assert.InRange(turn, 0, 100_000);
                int[] reached = await Task.WhenAll(Enumerable.Range(0, loops).Select(loop =>
                    rig.OnLoopAsync(() => Enumerable.Range(0, 4_000_000 / size).Sum(_ => subscriber.SendUpstream(rig.Loops[loop], message)), loop)));
                refused += reached.Any(sent => sent == 0) ? 1 : 0;
            }

            Assert.True(subscriber.MessagesDropped > 0);
            Assert.Single(subscriber.Peers);

            // There is room for subscriptions in addition.
            subscriber.Subscribe(new byte[1000]);
            for (int turn = 0; turn < 2 * loops; turn++)
            {
                await rig.OnLoopAsync(static () => 0, turn % loops);
            }

            Assert.Single(subscriber.Peers);
        }
    }
}
