using System.Diagnostics.Metrics;
using Broker.ZeroMq.Sockets;
using Broker.ZeroMq.Telemetry;

namespace Broker.ZeroMq.Tests.Telemetry;

/// <summary>What sockets count, and their meter.</summary>
public sealed class ZeroMqMetricsTests
{
    [Fact]
    public async Task A_socket_counts_over_all_peers_there_were()
    {
        using var pull = new PullSocket();
        string endpoint = pull.Bind("tcp://127.0.0.1:*");
        using (var push = new PushSocket())
        {
            push.Connect(endpoint);
            push.Send("one");
            push.Send("two");
            Assert.Equal(("one", "two"), (pull.ReceiveString(), pull.ReceiveString()));
            // The loops count when they have done it: who has the message may be sooner.
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
    public async Task A_closed_socket_keeps_what_it_has_counted()
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
    public async Task What_a_router_has_for_nobody_is_counted_as_dropped()
    {
        using var router = new RouterSocket();
        using var dealer = new DealerSocket();
        dealer.Connect(router.Bind("tcp://127.0.0.1:*"));
        router.Send("nobody", "hello");
        // Behind it on the same loop: what it answers has passed the other.
        dealer.Send("hello");
        using var request = new ZeroMqMessage();
        router.Receive(request);
        router.Send(request);
        dealer.ReceiveString();

        await Wait.UntilAsync(() => router.GetCounts() is { MessagesDropped: 1, MessagesReceived: 1, MessagesSent: 1 }, () => router.GetCounts().ToString());
    }

    [Fact]
    public async Task The_meter_says_what_each_socket_counts()
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
