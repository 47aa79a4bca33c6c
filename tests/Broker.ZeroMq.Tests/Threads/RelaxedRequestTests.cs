using Broker.ZeroMq.Tests.Sockets;
using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Threads;

public sealed class RelaxedRequestTests
{
    private const int NumberFrame = 6;
    private const int EmptyFrame = 2;
    private const int LongHeader = 9;

    // A request that is sent and not read: larger than the kernel accepts.
    private static readonly byte[] Large = new byte[32 << 20];

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_reply_that_arrives_while_the_next_request_waits_for_room_is_dropped(bool correlates)
    {
        using var req = new RequestSocket(new RequestSocketOptions
        {
            Relaxed = true,
            Correlate = correlates,
            SendHighWaterMark = 1,
            SendHighWaterBytes = 1 << 30,
            ReceiveTimeout = Wait.Limit,
            Linger = TimeSpan.Zero,
        });
        var endpoint = ZeroMqEndpoint.Parse(req.Bind("tcp://127.0.0.1:*"));
        using RawPeer router = new RawPeer(endpoint).Handshake("ROUTER");
        router.Read(Wire.Greeting().Length);
        router.Read(Wire.Ready("REQ", Wire.Property("Identity")).Length);
        req.Send(Large);
        byte[] first = router.Read(correlates ? NumberFrame : 0);

        // When the large request has been passed to the connection, there is room in the queue again.
        Assert.True(req.TrySend([0], Wait.Limit));
        int waiting = 1;
        while (req.TrySend([(byte)waiting], TimeSpan.Zero))
        {
            waiting++;
        }

        long before = req.GetCounts().MessagesReceived;
        router.Send(Wire.Join(first, Wire.Message([], Wire.Ascii("to the first"))));
        Wait.Until(() => req.GetCounts().MessagesReceived > before);

        // The reply to the last accepted request is awaited.
        Assert.False(req.TryReceiveString(out _, TimeSpan.FromMilliseconds(20)));
        router.Read(EmptyFrame + LongHeader + Large.Length);
        for (int i = 0; i < waiting; i++)
        {
            byte[] number = router.Read(correlates ? NumberFrame : 0);
            Assert.Equal((byte)i, router.Read(EmptyFrame + 2 + 1)[^1]);
            router.Send(Wire.Join(number, Wire.Message([], Wire.Ascii($"to {i}"))));
            if (i < waiting - 1)
            {
                long count = req.GetCounts().MessagesReceived;
                Wait.Until(() => req.GetCounts().MessagesReceived > count);
            }
        }

        Assert.Equal($"to {waiting - 1}", req.ReceiveString());
        Assert.Throws<InvalidOperationException>(() => req.ReceiveString());
        for (int i = 0; i < 3; i++)
        {
            req.Send([(byte)i]);
            byte[] number = router.Read(correlates ? NumberFrame : 0);
            Assert.Equal((byte)i, router.Read(EmptyFrame + 2 + 1)[^1]);
            router.Send(Wire.Join(number, Wire.Message([], Wire.Ascii($"then {i}"))));
            Assert.Equal($"then {i}", req.ReceiveString());
        }
    }

    // The late reply races with the next request: it may be received before that request is sent, and never after.
    [Fact]
    public void With_correlation_a_late_reply_is_never_accepted_for_the_next_request()
    {
        using var router = new RouterSocket();
        using var req = new RequestSocket(new RequestSocketOptions { Relaxed = true, Correlate = true, ReceiveTimeout = Wait.Limit });
        req.Connect(router.Bind("tcp://127.0.0.1:*"));
        using var late = new ZeroMqMessage();
        using var message = new ZeroMqMessage();
        for (int i = 0; i < 5_000; i++)
        {
            req.Send($"given up {i}");
            router.Receive(late);
            router.Send(late);
            req.Send($"asked {i}");
            router.Receive(message);
            router.Send(message);
            Assert.Equal($"asked {i}", req.ReceiveString());
        }
    }
}
