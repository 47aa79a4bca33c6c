using System.Text;

namespace Broker.ZeroMq.Tests.Threads;

/// <summary>Messages whose frames a receiver takes from the socket's queue.</summary>
public sealed class FrameReceiverTests
{
    [Fact]
    public void A_receiver_gets_the_routing_id_and_all_frames_in_order()
    {
        using var router = new RouterSocket();
        using var dealer = new DealerSocket(new ZeroMqSocketOptions { RoutingId = "me"u8.ToArray() });
        dealer.Connect(router.Bind("tcp://127.0.0.1:*"));
        dealer.Send([new byte[1], ReadOnlyMemory<byte>.Empty, new byte[300]]);
        dealer.Send("b");
        var frames = new Collected();

        Assert.True(router.TryReceive(frames, Wait.Limit));
        Assert.Equal("begin, 2 more, 1 more, 0 more, 300", frames.Text);
        Assert.Equal("me"u8.ToArray(), frames.Peer?.RoutingId.ToArray());
        Assert.True(router.TryReceive(frames, Wait.Limit));
        Assert.Equal("begin, 2 more, 1", frames.Text);
        Assert.False(router.TryReceive(frames));
    }

    [Fact]
    public void A_message_that_its_receiver_did_not_take_is_the_next_message()
    {
        using var pair = new PushPull();
        pair.Push.Send("a", "second");
        var frames = new Collected { ThrowsAt = "second".Length };

        Assert.Throws<InvalidDataException>(() => pair.Pull.TryReceive(frames, Wait.Limit));
        frames.ThrowsAt = -1;
        Assert.True(pair.Pull.TryReceive(frames));
        Assert.Equal("begin, 1 more, 6", frames.Text);
    }

    private sealed class Collected : IFrameReceiver
    {
        private readonly StringBuilder _text = new();

        public string Text => _text.ToString();

        public ZeroMqPeer? Peer { get; private set; }

        public int ThrowsAt { get; set; } = -1;

        public void Begin(ZeroMqPeer? peer)
        {
            Peer = peer;
            _text.Clear().Append("begin");
        }

        public void Add(ReadOnlySpan<byte> frame, bool more)
        {
            if (frame.Length == ThrowsAt)
            {
                throw new InvalidDataException();
            }

            _text.Append(", ").Append(frame.Length).Append(more ? " more" : "");
        }
    }
}
