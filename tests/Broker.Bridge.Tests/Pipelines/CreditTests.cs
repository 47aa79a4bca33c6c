using System.Globalization;
using System.Text;

namespace Broker.Bridge.Tests.Pipelines;

/// <summary>The credit protocol of PUSH/PULL without sockets.</summary>
public sealed class CreditTests
{
    private static readonly PipelineLimits Small = new() { Window = 8, WindowBytes = 1000, MostSilentTicks = 2 };

    private readonly SimulatedNats _nats = new(1);

    [Fact]
    public void Nothing_is_accepted_while_there_is_no_egress()
    {
        var ingress = new SimulatedIngress(_nats, "i", Small);
        Assert.False(ingress.TryAccept("1"));
        var egress = new SimulatedEgress(_nats, "e", Small);
        Run(egress);
        Assert.Equal(1, ingress.Rooms);
        Assert.True(ingress.TryAccept("1"));
        Run(egress);
        Assert.Equal(["1"], egress.Taken);
        Assert.Equal(1, ingress.Ingress.Counters.Acknowledged);
    }

    [Fact]
    public void An_egress_that_was_there_before_is_asked_for_at_once()
    {
        var egress = new SimulatedEgress(_nats, "e", Small);
        Run(egress);
        var ingress = new SimulatedIngress(_nats, "i", Small);
        Run(egress);
        Assert.True(ingress.TryAccept("1"));
    }

    [Fact]
    public void No_more_is_accepted_than_the_window_while_PUSH_takes_nothing()
    {
        var ingress = new SimulatedIngress(_nats, "i", Small);
        var egress = new SimulatedEgress(_nats, "e", Small) { Room = 0 };
        Run(egress);
        Assert.Equal(8, AcceptAll(ingress, 100));
        Run(egress);
        Assert.Equal(8, egress.Egress.Waiting);
        Assert.False(ingress.TryAccept("more"));
        egress.Room = 1;
        egress.Egress.Drain();
        Run(egress);
        Assert.Equal(1, ingress.Rooms);
        Assert.Equal(1, AcceptAll(ingress, 100));
    }

    [Fact]
    public void The_window_counts_bytes_too_and_one_large_message_passes()
    {
        var ingress = new SimulatedIngress(_nats, "i", Small);
        var egress = new SimulatedEgress(_nats, "e", Small) { Room = 0 };
        Run(egress);
        Assert.True(ingress.TryAccept(new string('a', 5000)));
        Assert.False(ingress.TryAccept("b"));
        Run(egress);
        Assert.Equal(0, egress.Egress.Counters.Refused);
        egress.Room = 10;
        egress.Egress.Drain();
        Run(egress);
        Assert.True(ingress.TryAccept(new string('a', 500)));
        Assert.True(ingress.TryAccept(new string('a', 500)));
        Assert.False(ingress.TryAccept("b"));
    }

    [Fact]
    public void Messages_go_to_the_egresses_in_turn_and_skip_a_stalled_one()
    {
        var ingress = new SimulatedIngress(_nats, "i", Small);
        SimulatedEgress[] egresses = [new(_nats, "e1", Small), new(_nats, "e2", Small), new(_nats, "e3", Small) { Room = 0 }];
        Run(egresses);
        for (int i = 0; i < 300; i++)
        {
            Assert.True(ingress.TryAccept("x"));
            Run(egresses);
        }

        Assert.Equal(8, egresses[2].Egress.Waiting);
        Assert.Equal(292, egresses[0].Taken.Count + egresses[1].Taken.Count);
        Assert.InRange(egresses[0].Taken.Count, 146, 146);
    }

    [Fact]
    public void What_is_lost_with_a_server_is_sent_again_and_nothing_comes_twice()
    {
        var ingress = new SimulatedIngress(_nats, "i", Small);
        var egress = new SimulatedEgress(_nats, "e", Small);
        Run(egress);
        AcceptAll(ingress, 3);
        _nats.Step();
        _nats.Step();
        _nats.Lose();
        Assert.False(ingress.TryAccept("x"));
        _nats.Recover();
        Run(egress);
        Assert.Equal(["0", "1", "2"], egress.Taken);
        Assert.Equal(3, ingress.Ingress.Counters.Acknowledged);
    }

    [Fact]
    public void The_last_message_is_missed_when_it_is_lost_alone()
    {
        var ingress = new SimulatedIngress(_nats, "i", Small);
        var egress = new SimulatedEgress(_nats, "e", Small);
        Run(egress);
        Assert.True(ingress.TryAccept("1"));
        ingress.Participant.Sent.Clear();
        Run(egress);
        Assert.Empty(egress.Taken);
        ingress.Ingress.Tick();
        Run(egress);
        Assert.Equal(["1"], egress.Taken);
        Assert.Equal(1, ingress.Ingress.Counters.Resent);
    }

    [Fact]
    public void An_acknowledgement_that_is_lost_causes_no_duplicate()
    {
        var ingress = new SimulatedIngress(_nats, "i", Small);
        var egress = new SimulatedEgress(_nats, "e", Small);
        Run(egress);
        Assert.True(ingress.TryAccept("1"));
        _nats.Step();
        Assert.Equal(["1"], egress.Taken);
        egress.Participant.Sent.Clear();
        ingress.Ingress.Tick();
        Run(egress);
        Assert.Equal(["1"], egress.Taken);
        Assert.Equal(1, ingress.Ingress.Counters.Acknowledged);
        Assert.Equal(0, ingress.Ingress.Counters.Resent);
    }

    [Fact]
    public void A_message_that_comes_again_is_dropped_and_counted()
    {
        var egress = new SimulatedEgress(_nats, "e", Small);
        byte[] header = Encoding.ASCII.GetBytes("NATS/1.0\r\nZmq-Ingress: i.1\r\nZmq-Seq: 1\r\n\r\n");
        egress.Egress.OnMessage(header, "a"u8);
        egress.Egress.OnMessage(header, "a"u8);
        Assert.Equal(["a"], egress.Taken);
        Assert.Equal(1, egress.Egress.Counters.DuplicatesDropped);
    }

    [Fact]
    public void Messages_of_a_silent_egress_go_to_another_one_and_count_as_possible_duplicates()
    {
        var ingress = new SimulatedIngress(_nats, "i", Small);
        var dead = new SimulatedEgress(_nats, "e1", Small);
        Run(dead);
        AcceptAll(ingress, 5);
        _nats.Remove(dead.Participant);
        var other = new SimulatedEgress(_nats, "e2", Small);
        for (int i = 0; i < 4; i++)
        {
            other.Egress.Tick();
            Run(other);
            ingress.Ingress.Tick();
        }

        Run(other);
        Assert.Equal(["0", "1", "2", "3", "4"], other.Taken);
        Assert.Equal(5, ingress.Ingress.Counters.PossibleDuplicates);
        Assert.Equal(5, other.Egress.Counters.PossibleDuplicates);
        Assert.Equal(5, ingress.Ingress.Counters.Acknowledged);
    }

    [Fact]
    public void Messages_that_an_egress_returns_go_to_another_one_and_none_arrives_twice()
    {
        var ingress = new SimulatedIngress(_nats, "i", Small);
        var first = new SimulatedEgress(_nats, "e1", Small) { Room = 2 };
        Run(first);
        AcceptAll(ingress, 5);
        Run(first);
        first.Egress.Release();
        Run(first);
        Assert.False(ingress.TryAccept("x"));
        var other = new SimulatedEgress(_nats, "e2", Small);
        Run(first, other);
        Assert.Equal(["0", "1"], first.Taken);
        Assert.Equal(["2", "3", "4"], other.Taken);
        Assert.Equal(0, ingress.Ingress.Counters.PossibleDuplicates);
        Assert.Equal(3, first.Egress.Counters.Released);

        // When a PULL is connected again:
        first.Room = 10;
        first.Egress.Open();
        Run(first, other);
        AcceptAll(ingress, 4);
        Run(first, other);
        Assert.Equal(4, first.Taken.Count);
    }

    [Fact]
    public void An_ordered_pusher_uses_one_egress_and_the_next_one_receives_the_rest_in_order()
    {
        PipelineLimits ordered = Small with { KeepOrder = true };
        var ingress = new SimulatedIngress(_nats, "i", ordered);
        SimulatedEgress[] egresses = [new(_nats, "e1", ordered) { Room = 3 }, new(_nats, "e2", ordered), new(_nats, "e3", ordered)];
        Run(egresses);
        IngressLink? link = null;
        int sent = 0;
        while (ingress.Ingress.TryAcceptInOrder(Encoding.ASCII.GetBytes(sent.ToString(CultureInfo.InvariantCulture)), 1, ref link))
        {
            sent++;
            Run(egresses);
        }

        SimulatedEgress first = Assert.Single(egresses, e => e.Taken.Count > 0);
        first.Egress.Release();
        Run(egresses);
        for (int i = 0; i < 20; i++)
        {
            Assert.True(ingress.Ingress.TryAcceptInOrder(Encoding.ASCII.GetBytes(sent.ToString(CultureInfo.InvariantCulture)), 1, ref link));
            sent++;
            Run(egresses);
        }

        SimulatedEgress second = Assert.Single(egresses, e => e != first && e.Taken.Count > 0);
        Assert.Equal(Enumerable.Range(0, sent).Select(i => i.ToString(CultureInfo.InvariantCulture)), first.Taken.Concat(second.Taken));
    }

    [Fact]
    public void A_message_that_the_server_would_not_take_is_refused_and_counted()
    {
        _nats.MaxPayload = 400;
        var ingress = new SimulatedIngress(_nats, "i", Small);
        var egress = new SimulatedEgress(_nats, "e", Small);
        Run(egress);
        Assert.True(ingress.TryAccept(new string('a', 401)));
        Assert.Equal(1, ingress.Ingress.Counters.Refused);
        Assert.Equal(0, ingress.Ingress.Counters.Accepted);
    }

    [Fact]
    public void A_message_too_large_for_the_next_server_is_given_up_and_counted_and_does_not_block_others()
    {
        var ingress = new SimulatedIngress(_nats, "i", Small with { WindowBytes = 100_000 });
        var egress = new SimulatedEgress(_nats, "e", Small with { WindowBytes = 100_000 }) { Room = 0 };
        Run(egress);
        ingress.Participant.IsFull = true;
        Assert.True(ingress.TryAccept(new string('a', 5000)));
        Assert.False(ingress.TryAccept("b"));
        ingress.Participant.IsFull = false;
        _nats.MaxPayload = 1000;
        ingress.Ingress.OnWritable();
        Assert.True(ingress.TryAccept("c"));
        egress.Room = 10;
        Run(egress);
        Assert.Equal(["c"], egress.Taken);
        Assert.Equal(1, ingress.Ingress.Counters.GivenUp);
        Assert.Equal(0, ingress.Ingress.Counters.InFlight);
    }

    [Fact]
    public void What_the_connection_does_not_take_now_is_sent_when_it_does()
    {
        var ingress = new SimulatedIngress(_nats, "i", Small);
        var egress = new SimulatedEgress(_nats, "e", Small);
        Run(egress);
        ingress.Participant.IsFull = true;
        Assert.True(ingress.TryAccept("1"));
        Assert.False(ingress.TryAccept("2"));
        ingress.Participant.IsFull = false;
        ingress.Ingress.OnWritable();
        Run(egress);
        Assert.Equal(["1"], egress.Taken);
        Assert.Equal(1, ingress.Rooms);
    }

    [Theory]
    [InlineData("")]
    [InlineData("NATS/1.0\r\n")]
    [InlineData("NATS/1.0\r\n\r\n")]
    [InlineData("NATS/1.0\r\nZmq-Ingress: i\r\nZmq-Seq: 1\r\n\r\n")]
    [InlineData("NATS/1.0\r\nZmq-Ingress: i.*\r\nZmq-Seq: 1\r\n\r\n")]
    [InlineData("NATS/1.0\r\nZmq-Ingress: i.1\r\nZmq-Seq: x\r\n\r\n")]
    [InlineData("NATS/1.0\r\nZmq-Ingress: i.1\r\nZmq-Seq: -1\r\n\r\n")]
    [InlineData("NATS/1.0\r\nZmq-Ingress: i.1\r\nZmq-Seq: 1\r\nZmq-Seq: 2\r\n\r\n")]
    [InlineData("NATS/1.0\r\nZmq-Ingress: i.1\nZmq-Seq: 1\r\n\r\n")]
    [InlineData("NATS/1.0\r\nZmq-Ingress: i.1\r\n\r\n")]
    public void A_malformed_message_is_refused_and_counted(string header)
    {
        var egress = new SimulatedEgress(_nats, "e", Small);
        egress.Egress.OnMessage(Encoding.ASCII.GetBytes(header), "a"u8);
        Assert.Empty(egress.Taken);
        Assert.Equal(1, egress.Egress.Counters.Refused);
    }

    [Fact]
    public void An_egress_refuses_messages_beyond_the_window()
    {
        var egress = new SimulatedEgress(_nats, "e", Small) { Room = 0 };
        for (int i = 1; i <= 50; i++)
        {
            egress.Egress.OnMessage(Encoding.ASCII.GetBytes($"NATS/1.0\r\nZmq-Ingress: i.1\r\nZmq-Seq: {i}\r\n\r\n"), "a"u8);
        }

        Assert.Equal(8, egress.Egress.Waiting);
    }

    [Fact]
    public void Frames_that_do_not_add_up_are_refused_and_hold_up_nothing()
    {
        var egress = new SimulatedEgress(_nats, "e", Small);
        egress.Egress.OnMessage("NATS/1.0\r\nZmq-Ingress: i.1\r\nZmq-Seq: 1\r\nZmq-Frames: 2\r\n\r\n"u8, "abc"u8);
        egress.Egress.OnMessage("NATS/1.0\r\nZmq-Ingress: i.1\r\nZmq-Seq: 2\r\n\r\n"u8, "b"u8);
        Assert.Equal(["b"], egress.Taken);
        Assert.Equal(1, egress.Egress.Counters.Refused);
    }

    [Fact]
    public void An_egress_removes_the_state_of_a_lost_ingress()
    {
        var egress = new SimulatedEgress(_nats, "e", Small);
        egress.Egress.OnMessage("NATS/1.0\r\nZmq-Ingress: i.1\r\nZmq-Seq: 1\r\n\r\n"u8, "a"u8);
        Assert.Equal(1, egress.Egress.Links);
        for (int i = 0; i < 1000; i++)
        {
            egress.Egress.Tick();
        }

        Assert.Equal(0, egress.Egress.Links);
    }

    [Fact]
    public void Memory_is_returned_when_messages_are_acknowledged()
    {
        var ingress = new SimulatedIngress(_nats, "i", Small);
        var egress = new SimulatedEgress(_nats, "e", Small);
        Run(egress);
        for (int i = 0; i < 1000; i++)
        {
            Assert.True(ingress.TryAccept(new string('a', 1 + (i * 37 % 900))));
            Run(egress);
        }

        Assert.Equal(0, ingress.Pool.Outstanding);
        Assert.Equal(0, egress.Pool.Outstanding);
    }

    private static int AcceptAll(SimulatedIngress ingress, int most)
    {
        int accepted = 0;
        while (accepted < most && ingress.TryAccept(accepted.ToString(CultureInfo.InvariantCulture)))
        {
            accepted++;
        }

        return accepted;
    }

    private void Run(params SimulatedEgress[] egresses)
    {
        do
        {
            foreach (SimulatedEgress egress in egresses)
            {
                egress.Flush();
            }
        }
        while (_nats.Step());
    }
}
