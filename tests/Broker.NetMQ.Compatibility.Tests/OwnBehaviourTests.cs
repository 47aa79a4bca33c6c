using NetMQ;
using NetMQ.Sockets;

namespace Broker.NetMQ.Compatibility.Tests;

/// <summary>Where NetMQ fails and our package does not: the table names each of these differences.</summary>
public sealed class OwnBehaviourTests
{
    private static readonly TimeSpan Soon = TimeSpan.FromSeconds(10);

    [Fact]
    public void A_welcome_message_reaches_a_subscriber()
    {
        using var xpub = new XPublisherSocket();
        xpub.SetWelcomeMessage("welcome");
        using var sub = new SubscriberSocket();
        sub.Subscribe("");
        sub.Connect($"tcp://127.0.0.1:{xpub.BindRandomPort("tcp://127.0.0.1")}");

        Assert.True(sub.TryReceiveFrameString(Soon, out string? text));
        Assert.Equal("welcome", text);
    }

    [Fact]
    public void An_XSUB_subscribes_by_its_methods()
    {
        using var xpub = new XPublisherSocket("@inproc://own-xsub");
        using var xsub = new XSubscriberSocket(">inproc://own-xsub");
        xsub.Subscribe("a");
        xsub.SubscribeToAnyTopic();
        xsub.Unsubscribe("a");

        Assert.Equal([1, (byte)'a'], xpub.ReceiveFrameBytes());
        Assert.Equal([1], xpub.ReceiveFrameBytes());
        Assert.Equal([0, (byte)'a'], xpub.ReceiveFrameBytes());
    }

    [Fact]
    public void A_skipped_message_is_skipped_whole()
    {
        PairSocket.CreateSocketPair(out PairSocket one, out PairSocket two);
        using (one)
        using (two)
        {
            one.SendMoreFrame("a").SendFrame("b");
            one.SendFrame("c");

            Assert.True(two.TrySkipMultipartMessage());
            Assert.Equal("c", two.ReceiveFrameString());
            Assert.False(two.TrySkipMultipartMessage());
        }
    }

    [Fact]
    public void A_send_on_a_disposed_socket_throws_and_does_not_block()
    {
        var push = new PushSocket();
        push.Dispose();

        Assert.Throws<ObjectDisposedException>(() => push.SendFrame("x"));
    }

    [Fact]
    public void A_port_is_free_when_its_socket_is_disposed()
    {
        var pull = new PullSocket();
        string address = $"tcp://127.0.0.1:{pull.BindRandomPort("tcp://127.0.0.1")}";
        pull.Dispose();
        using var next = new PullSocket();

        next.Bind(address);
    }

    [Theory]
    [InlineData("tcp://*:0")]
    [InlineData("tcp://localhost:0")]
    [InlineData("tcp://[::1]:0")]
    public void The_last_endpoint_can_be_unbound(string address)
    {
        using var pull = new PullSocket();
        pull.Bind(address);

        pull.Unbind(pull.Options.LastEndpoint!);
    }

    [Fact]
    public void A_pooled_array_returns_with_the_last_of_three_copies()
    {
        // The pool is that of the process, and other tests use it at the same time.
        const int Size = 12_345;
        var pool = new CountingPool(Size);
        BufferPool.SetCustomBufferPool(pool);
        try
        {
            Msg first = default, second = default, third = default;
            first.InitPool(Size);
            second.Copy(ref first);
            third.Copy(ref first);
            first.Close();
            second.Close();
            Assert.Equal(0, pool.Returned);
            third.Close();
            Assert.Equal(1, pool.Returned);
        }
        finally
        {
            BufferPool.SetGCBufferPool();
        }
    }

    [Fact]
    public void Messages_that_were_sent_arrive_though_the_sender_closes()
    {
        const int Count = 2000;
        using var pull = new PullSocket();
        string address = $"tcp://127.0.0.1:{pull.BindRandomPort("tcp://127.0.0.1")}";
        using (var push = new PushSocket())
        {
            push.Options.Linger = Soon;
            push.Options.SendHighWatermark = 0;
            push.Connect(address);
            for (int i = 0; i < Count; i++)
            {
                push.SendFrame($"{i}");
            }
        }

        for (int i = 0; i < Count; i++)
        {
            Assert.True(pull.TryReceiveFrameString(Soon, out string? text), $"after {i}");
            Assert.Equal($"{i}", text);
        }
    }

    /// <summary>Counts the returned arrays of one size.</summary>
    private sealed class CountingPool(int counted) : IBufferPool
    {
        public int Returned { get; private set; }

        public byte[] Take(int size) => new byte[size];

        public void Return(byte[] buffer) => Returned += buffer.Length == counted ? 1 : 0;

        public void Dispose()
        {
        }
    }
}
