using System.Text;
using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Sockets;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Patterns;

public sealed class PushPullTests
{
    private const string AnyPort = "tcp://127.0.0.1:*";

    public static TheoryData<bool> Pollers => [false, true];

    public static TheoryData<RigTransport> Transports => Rig.Transports;

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Rfc30_messages_of_any_number_of_frames_shall_arrive_unchanged_and_in_order(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        LoopPull pull = rig.Pull();
        LoopPush push = rig.Push();
        push.Connect(pull.Bind(rig.AnyPort).ToString());
        byte[] large = Wire.Filled(1_000_000);
        bool[] sent = await rig.OnLoopAsync(() => new[]
        {
            push.TrySend("1"u8),
            push.TrySend([], "2"u8),
            push.TrySend([new byte[1], ReadOnlyMemory<byte>.Empty, new byte[] { 3 }]),
            push.TrySend(large),
            push.TrySendEncoded([0, 1, 5]),
        });
        Assert.All(sent, Assert.True);
        foreach (string expected in (string[])["31", "-,32", "00,-,03", LibzmqPeer.Show(large), "05"])
        {
            Assert.Equal(expected, await rig.Messages.TakeAsync());
        }
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Rfc30_a_push_shall_send_messages_to_its_peers_in_turn(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        LoopPush push = rig.Push();
        var inboxes = new List<Inbox<string>>();
        for (int i = 0; i < 3; i++)
        {
            var inbox = new Inbox<string>();
            inboxes.Add(inbox);
            push.Connect(rig.Pull(onMessage: (ZeroMqPeer _, in ZmtpMessage message) =>
            {
                inbox.Add(Encoding.ASCII.GetString(message.FirstFrame.Body));
                return true;
            }).Bind(rig.AnyPort).ToString());
        }

        await SendAsync(rig, push, 9);
        for (int i = 0; i < 9; i++)
        {
            Assert.Equal($"{i}", await inboxes[i % 3].TakeAsync());
        }
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Rfc30_a_push_shall_accept_nothing_without_a_peer_and_signals_once_the_first(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        LoopPush push = rig.Push();
        var writable = new Inbox<int>();
        await rig.OnLoopAsync(() =>
        {
            push.OnWritable = () => writable.Add(1);
            Assert.False(push.TrySend("1"u8));
            Assert.False(push.TrySend("2"u8));
            return 0;
        });
        string endpoint = push.Bind(rig.AnyPort).ToString();
        rig.Pull().Connect(endpoint);
        rig.Pull().Connect(endpoint);
        await rig.EventAsync(ZeroMqEventKind.PeerConnected);
        await rig.EventAsync(ZeroMqEventKind.PeerConnected);
        await writable.TakeAsync();
        await SendAsync(rig, push, 2);
        await rig.Messages.TakeAsync();
        await rig.Messages.TakeAsync();
        Assert.Empty(writable.TakeAll());
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Rfc30_a_push_shall_have_a_queue_for_an_endpoint_whether_or_not_it_is_connected_up_to_the_mark(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        LoopPush push = rig.Push(o => o with { SendHighWaterMark = 7 });
        string endpoint = FreeEndpoint(rig);
        push.Connect(endpoint);
        int sent = await rig.OnLoopAsync(() =>
        {
            int count = 0;
            while (push.TrySend(Encoding.ASCII.GetBytes($"{count}")))
            {
                count++;
            }

            return count;
        });
        Assert.Equal(7, sent);
        rig.Pull().Bind(endpoint);
        for (int i = 0; i < sent; i++)
        {
            Assert.Equal(Show($"{i}"), await rig.Messages.TakeAsync());
        }
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Messages_sent_together_go_to_a_single_peer_up_to_its_mark_and_arrive_in_order(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        LoopPush push = rig.Push(o => o with { SendHighWaterMark = 7 });
        string endpoint = FreeEndpoint(rig);
        push.Connect(endpoint);
        int taken = await rig.OnLoopAsync(() => SendTogether(push, 100, out _));
        Assert.Equal(7, taken);
        Assert.False(await rig.OnLoopAsync(() => push.TrySend("full"u8)));
        rig.Pull().Bind(endpoint);
        for (int i = 0; i < 7; i++)
        {
            Assert.Equal(Show($"{i}"), await rig.Messages.TakeAsync());
        }

        await rig.EventAsync(ZeroMqEventKind.PeerConnected);
        int late = await rig.OnLoopAsync(() => SendTogether(push, 5, out _));
        for (int i = 0; i < late; i++)
        {
            Assert.Equal(Show($"{i}"), await rig.Messages.TakeAsync());
        }
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Messages_sent_together_go_to_several_peers_in_turn(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        LoopPush push = rig.Push(o => o with { SendHighWaterMark = 7 });
        push.Connect(FreeEndpoint(rig));
        push.Connect(FreeEndpoint(rig));
        int most = 0;
        int taken = await rig.OnLoopAsync(() => SendTogether(push, 100, out most));
        Assert.Equal(14, taken);

        // Only the second peer still has room for the last message.
        Assert.Equal(1, most);
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task An_immediate_socket_queues_nothing_for_an_endpoint_without_a_connection(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        LoopPush push = rig.Push(o => o with { Immediate = true });
        string endpoint = FreeEndpoint(rig);
        push.Connect(endpoint);
        Assert.False(await rig.OnLoopAsync(() => push.TrySend("1"u8)));
        rig.Pull().Bind(endpoint);
        await rig.ConnectedAsync();
        await SendAsync(rig, push, 1);
        Assert.Equal(Show("0"), await rig.Messages.TakeAsync());
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task A_refused_message_is_delivered_again_before_all_later_ones(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        var offered = new Inbox<string>();
        bool takes = false;
        LoopPull pull = rig.Pull(onMessage: (ZeroMqPeer peer, in ZmtpMessage message) =>
        {
            offered.Add(Encoding.ASCII.GetString(message.FirstFrame.Body));
            return takes && rig.Record(peer, message);
        });
        LoopPush push = rig.Push();
        push.Connect(pull.Bind(rig.AnyPort).ToString());
        await SendAsync(rig, push, 100);
        Assert.Equal("0", await offered.TakeAsync());
        Assert.True(await rig.OnLoopAsync(() => pull.Peers.Count == 1));
        await rig.OnLoopAsync(() =>
        {
            takes = true;
            pull.ResumeReceiving();
            return 0;
        });
        for (int i = 0; i < 100; i++)
        {
            Assert.Equal($"{i}", await offered.TakeAsync());
            Assert.Equal(Show($"{i}"), await rig.Messages.TakeAsync());
        }
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Rfc30_a_push_shall_discard_nothing_if_its_peers_are_full_and_signals_room_once(RigTransport transport)
    {
        const int Mark = 100;
        await using var rig = new Rig(transport);
        LoopPull pull = rig.Pull();
        LoopPush push = rig.Push(o => o with { SendHighWaterMark = Mark });
        var writable = new Inbox<int>();
        push.OnWritable = () => writable.Add(1);
        push.Connect(pull.Bind(rig.AnyPort).ToString());
        await rig.EventAsync(ZeroMqEventKind.PeerConnected);
        await rig.EventAsync(ZeroMqEventKind.PeerConnected);
        await rig.OnLoopAsync(() =>
        {
            pull.PauseReceiving();
            return 0;
        });
        byte[] body = Wire.Filled(10_000);
        int sent = 0;
        int told = 0;
        bool wasTaken = true;
        for (int quiet = 0; quiet < 20; quiet++)
        {
            bool taken = await rig.OnLoopAsync(() => push.TrySend(body));
            if (taken)
            {
                sent++;
                quiet = 0;
            }
            else
            {
                // The kernel may accept more later. That is room, and it is signalled once.
                told += wasTaken ? 1 : 0;
                await Task.Delay(10, TestContext.Current.CancellationToken);
            }

            wasTaken = taken;
        }

        Assert.Empty(rig.Messages.TakeAll());
        Assert.InRange(push.Peers.Single().PendingBytes, 1, Mark * (body.Length + 9));
        Assert.InRange(rig.Loops.BufferedBytes, 1, 2 * Mark * (body.Length + 9));

        await rig.OnLoopAsync(() =>
        {
            pull.ResumeReceiving();
            return 0;
        });
        for (int i = 0; i < told; i++)
        {
            await writable.TakeAsync();
        }

        for (int i = 0; i < sent; i++)
        {
            await rig.Messages.TakeAsync();
        }

        Assert.Empty(writable.TakeAll());
        Assert.True(await rig.OnLoopAsync(() => push.TrySend(body)));
        await rig.Messages.TakeAsync();
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Unsent_messages_of_a_lost_connection_are_sent_on_the_next_one(RigTransport transport)
    {
        const int Count = 200;
        await using var rig = new Rig(transport);
        var received = new Inbox<(long Peer, int Number)>();
        LoopPull pull = rig.Pull(onMessage: (ZeroMqPeer peer, in ZmtpMessage message) =>
        {
            received.Add((peer.Id, int.Parse(message.FirstFrame.Body, null)));
            return true;
        });
        LoopPush push = rig.Push(o => o with { SendHighWaterBytes = 64 << 20 });
        push.Connect(pull.Bind(rig.AnyPort).ToString());
        await rig.EventAsync(ZeroMqEventKind.PeerConnected);
        await rig.EventAsync(ZeroMqEventKind.PeerConnected);
        await rig.OnLoopAsync(() =>
        {
            pull.PauseReceiving();
            return 0;
        });
        await rig.OnLoopAsync(() =>
        {
            // More than the kernel accepts.
            for (int i = 0; i < Count; i++)
            {
                Assert.True(push.TrySend(Wire.Ascii($"{i:D8}"), new byte[64 * 1024]));
            }

            return 0;
        });
        long waiting = await rig.OnLoopAsync(() =>
        {
            // In one iteration: in the next one the kernel may accept more.
            long pending = push.Peers.Single().PendingBytes;
            push.Peers.Single().Close("for the test");
            pull.ResumeReceiving();
            return pending;
        });
        Assert.InRange(waiting, 64 * 1024, Count * 65 * 1024);
        var all = new List<(long Peer, int Number)>();
        do
        {
            all.Add(await received.TakeAsync());
        }
        while (all[^1].Number != Count - 1);

        // The first connection ends within what the kernel had accepted. The second connection carries all the rest.
        int[] first = [.. all.Where(m => m.Peer == 1).Select(m => m.Number)];
        int[] second = [.. all.Where(m => m.Peer == 2).Select(m => m.Number)];
        Assert.Equal(Enumerable.Range(0, first.Length), first);
        Assert.Equal(Enumerable.Range(Count - second.Length, second.Length), second);
        Assert.InRange(second.Length, waiting / (65 * 1024), Count - first.Length);
    }

    [Theory]
    [InlineData(false, true)]
    [InlineData(false, false)]
    [InlineData(true, true)]
    public async Task A_libzmq_pull_gets_everything_and_blocks_us_while_it_is_paused(bool portable, bool binds)
    {
        const int Count = 2_000;
        await using var rig = new Rig(portable: portable);
        LoopPush push = rig.Push(o => o with { SendHighWaterMark = 50 });
        string endpoint = binds ? push.Bind(AnyPort).ToString() : FreeEndpoint(rig);
        using LibzmqPeer pull = await LibzmqPeer.StartAsync("PULL", binds ? "connect" : "bind", endpoint, "RCVHWM=10");
        await pull.DoAsync("count");
        await pull.DoAsync("pause");
        if (!binds)
        {
            push.Connect(endpoint);
        }

        var pump = new Pump(rig, push, Count, number => [Wire.Ascii($"{number:D60}"), Repeated($"{number:D60}")]);
        await Wait.For(pump.HeldUp);
        Assert.InRange(pump.Sent, 1, Count - 1);
        await pull.DoAsync("resume");
        await Wait.For(pump.Done);
        await Wait.UntilAsync(() => rig.OnLoopAsync(() => push.TrySend("END"u8)), "room for the last one");
        Assert.Equal((Count, 0), await pull.CountedAsync());
    }

    [Theory]
    [MemberData(nameof(Pollers))]
    public async Task A_libzmq_push_blocks_while_we_receive_nothing_and_loses_nothing(bool portable)
    {
        await using var rig = new Rig(portable: portable);
        bool takes = false;
        int next = 0;
        TaskCompletionSource offered = Wait.Source();
        TaskCompletionSource done = Wait.Source();
        LoopPull pull = rig.Pull(onMessage: (ZeroMqPeer _, in ZmtpMessage message) =>
        {
            if (!takes)
            {
                offered.TrySetResult();
                return false;
            }

            if (Encoding.ASCII.GetString(message.FirstFrame.Body) != $"{next++}")
            {
                done.TrySetException(new InvalidOperationException($"{next - 1} is missing"));
            }

            if (next == 3000)
            {
                done.TrySetResult();
            }

            return true;
        });
        using LibzmqPeer push = await LibzmqPeer.StartAsync("PUSH", "connect", pull.Bind(AnyPort).ToString(), "SNDHWM=10");
        await push.DoAsync("flood", Wire.Ascii("3000"), Wire.Ascii("10000"));
        await rig.EventAsync(ZeroMqEventKind.PeerConnected);
        await Wait.For(offered);
        Assert.Equal(0, await rig.OnLoopAsync(() => next));
        await rig.OnLoopAsync(() =>
        {
            takes = true;
            pull.ResumeReceiving();
            return 0;
        });
        await Wait.For(done);
    }

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Rfc30_a_pull_shall_receive_from_its_peers_fairly(RigTransport transport)
    {
        await using var rig = new Rig(transport);
        var taken = new Dictionary<ZeroMqPeer, int>();
        var offering = new HashSet<ZeroMqPeer>();
        int room = 0;
        LoopPull pull = rig.Pull(onMessage: (ZeroMqPeer peer, in ZmtpMessage _) =>
        {
            offering.Add(peer);
            if (room == 0)
            {
                return false;
            }

            room--;
            taken[peer] = taken.GetValueOrDefault(peer) + 1;
            return true;
        });
        string endpoint = pull.Bind(rig.AnyPort).ToString();
        for (int i = 0; i < 4; i++)
        {
            LoopPush push = rig.Push();
            push.Connect(endpoint);
            await rig.EventAsync(ZeroMqEventKind.PeerConnected);
            await rig.EventAsync(ZeroMqEventKind.PeerConnected);
            await SendAsync(rig, push, 100);
        }

        // A peer whose messages arrive late does not lose its turn.
        await Wait.UntilAsync(async () => await rig.OnLoopAsync(() => offering.Count) == 4, "messages of all");
        for (int i = 0; i < 40; i++)
        {
            // The action of the second peer is queued behind the deliveries of the first.
            await rig.OnLoopAsync(() =>
            {
                room = 1;
                pull.ResumeReceiving();
                return 0;
            });
            await Wait.UntilAsync(() => rig.OnLoopAsync(() => room == 0), "one that is taken");
        }

        Assert.Equal(4, taken.Count);
        Assert.All(taken.Values, count => Assert.InRange(count, 5, 15));
    }

    /// <summary>An endpoint where only the test binds a socket.</summary>
    internal static string FreeEndpoint(Rig rig)
    {
        if (rig.AnyPort.StartsWith("tcp:", StringComparison.Ordinal))
        {
            return FreePort.NextAddress();
        }

        LoopPull holder = rig.Pull();
        string endpoint = holder.Bind(rig.AnyPort).ToString();
        holder.Unbind(endpoint);
        return endpoint;
    }

    private static async Task SendAsync(Rig rig, LoopPush push, int count) => await rig.OnLoopAsync(() =>
    {
        for (int i = 0; i < count; i++)
        {
            Assert.True(push.TrySend(Encoding.ASCII.GetBytes($"{i}")));
        }

        return 0;
    });

    private static string Show(string frame) => LibzmqPeer.Show(Encoding.ASCII.GetBytes(frame));

    private static byte[] Repeated(string text) => Wire.Ascii(string.Concat(Enumerable.Repeat(text, 100)));
    // Does what the queue of a thread-safe socket does. Runs on the loop.
    private static int SendTogether(LoopPush push, int count, out int most)
    {
        byte[] messages = [.. Enumerable.Range(0, count).SelectMany(i => Queues.Bench.Encode($"{i}"))];
        int at = 0;
        int sent = 0;
        most = 0;
        while (sent < count)
        {
            int size = push.SendSome(messages.AsSpan(at), count - sent, out int some);
            if (some == 0)
            {
                break;
            }

            most = Math.Max(most, some);
            at += size;
            sent += some;
        }

        return sent;
    }

}
