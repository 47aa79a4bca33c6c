using System.Diagnostics.Metrics;

namespace Broker.ZeroMq.Tests.Telemetry;

/// <summary>The counters of the sockets and their meter.</summary>
public sealed class ZeroMqMetricsTests
{
    [Fact]
    public async Task A_socket_counts_over_all_its_peers()
    {
        using var pull = new PullSocket();
        string endpoint = pull.Bind("tcp://127.0.0.1:*");
        using (var push = new PushSocket())
        {
            push.Connect(endpoint);
            push.Send("one");
            push.Send("two");
            Assert.Equal(("one", "two"), (pull.ReceiveString(), pull.ReceiveString()));
            // A loop counts a message after it has passed it on, so the receiver may be earlier.
            await Wait.UntilAsync(() => push.GetCounts() == new ZeroMqCounts(1, 0, 2, 0, 0), () => push.GetCounts().ToString());
            await Wait.UntilAsync(() => pull.GetCounts() == new ZeroMqCounts(1, 2, 0, 0, 0), () => pull.GetCounts().ToString());
        }

        await Wait.UntilAsync(() => pull.GetCounts().Peers == 0, "the end of the peer");
        Assert.Equal(2, pull.GetCounts().MessagesReceived);
        using (var push = new PushSocket())
        {
            push.Connect(endpoint);
            push.Send("three");
            Assert.Equal("three", pull.ReceiveString());
            await Wait.UntilAsync(() => pull.GetCounts() is { Peers: 1, MessagesReceived: 3 }, () => pull.GetCounts().ToString());
        }
    }

    [Fact]
    public async Task A_closed_socket_keeps_its_counters()
    {
        using var pull = new PullSocket();
        var push = new PushSocket();
        push.Connect(pull.Bind("tcp://127.0.0.1:*"));
        push.Send("one");
        Assert.Equal("one", pull.ReceiveString());

        await push.DisposeAsync();

        Assert.Equal(new ZeroMqCounts(0, 0, 1, 0, 0), push.GetCounts());
    }

    [Fact]
    public async Task A_routers_message_without_a_peer_is_counted_as_dropped()
    {
        using var router = new RouterSocket();
        using var dealer = new DealerSocket();
        dealer.Connect(router.Bind("tcp://127.0.0.1:*"));
        router.Send("nobody", "hello");
        // This request uses the same loop later: when it is answered, the other message has been processed.
        dealer.Send("hello");
        using var request = new ZeroMqMessage();
        router.Receive(request);
        router.Send(request);
        dealer.ReceiveString();

        await Wait.UntilAsync(() => router.GetCounts() is { MessagesDropped: 1, MessagesReceived: 1, MessagesSent: 1 }, () => router.GetCounts().ToString());
    }

    [Fact]
    public async Task The_meter_reports_the_counters_of_each_socket()
    {
        using var pull = new PullSocket();
        using var push = new PushSocket();
        using var received = new ZeroMqMetrics(pull, "in");
        using var sent = new ZeroMqMetrics(push, "out");
        push.Connect(pull.Bind("tcp://127.0.0.1:*"));
        push.Send("one");
        pull.ReceiveString();
        await Wait.UntilAsync(() => push.GetCounts() == new ZeroMqCounts(1, 0, 1, 0, 0) && pull.GetCounts().MessagesReceived == 1, "the counts");

        var read = new Dictionary<string, long>(StringComparer.Ordinal);
        using var listener = new MeterListener();
        listener.InstrumentPublished = static (instrument, l) =>
        {
            if (instrument.Meter.Name == ZeroMqMetrics.MeterName)
            {
                l.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
        {
            Dictionary<string, object?> of = tags.ToArray().ToDictionary();
            read[$"{of["broker.zeromq.socket"]} {of["broker.zeromq.type"]} {instrument.Name}"] = value;
        });
        listener.Start();
        listener.RecordObservableInstruments();

        Assert.Equal(
            (1L, 1L, 0L, 1L, 1L, 0L, 0L),
            (read["in pull broker.zeromq.peers"], read["in pull broker.zeromq.received"], read["in pull broker.zeromq.sent"], read["out push broker.zeromq.sent"],
                read["out push broker.zeromq.peers"], read["out push broker.zeromq.pending"], read["out push broker.zeromq.dropped"]));
    }
}
