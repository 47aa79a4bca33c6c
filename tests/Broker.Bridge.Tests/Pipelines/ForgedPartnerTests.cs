using System.Text;

namespace Broker.Bridge.Tests.Pipelines;

/// <summary>Ends of a pipeline that do not exist, or that answer in the place of others.</summary>
public sealed class ForgedPartnerTests
{
    private static readonly PipelineLimits Small = new() { Window = 8, WindowBytes = 1000, MostSilentTicks = 2, MostPeers = 16 };

    private readonly SimulatedNats _nats = new(1);

    [Fact]
    public void Only_the_partner_of_a_link_acknowledges_and_only_what_was_sent()
    {
        var ingress = new SimulatedIngress(_nats, "i", Small);
        var egress = new SimulatedEgress(_nats, "e", Small) { Room = 0 };
        Run(egress);
        for (int i = 0; i < 5; i++)
        {
            Assert.True(ingress.TryAccept("x"));
        }

        long number = ingress.LinkNumber;
        Run(egress);
        ingress.Ingress.OnAcknowledgement(number, Acknowledgement("nobody", 5));
        ingress.Ingress.OnAcknowledgement(number, "NATS/1.0\r\nZmq-Ack: 5\r\nZmq-Window: 8 1000\r\n\r\n"u8);
        ingress.Ingress.OnAcknowledgement(number, Acknowledgement("e", 6));
        Assert.Equal((0L, 3L), (ingress.Ingress.Counters.Acknowledged, ingress.Ingress.Counters.Violations));
        egress.Room = 100;
        egress.Egress.Drain();
        Run(egress);
        Assert.Equal(5, ingress.Ingress.Counters.Acknowledged);
        Assert.Equal(0, ingress.Ingress.Counters.Moved);
    }

    [Fact]
    public void The_numbers_of_links_cannot_be_counted()
    {
        var numbers = new HashSet<long>();
        for (int i = 0; i < 20; i++)
        {
            var nats = new SimulatedNats(i);
            var ingress = new SimulatedIngress(nats, "i", Small);
            var egress = new SimulatedEgress(nats, "e", Small);
            while (nats.Step())
            {
            }

            Assert.True(ingress.TryAccept("x"));
            numbers.Add(ingress.LinkNumber);
            Assert.NotNull(egress);
        }

        Assert.Equal(20, numbers.Count);
        Assert.All(numbers, number => Assert.True(number > 1000));
        Assert.All(Enumerable.Range(0, 20), _ => Assert.Equal(16, PipelineSubjects.NewId().Length));
    }

    [Fact]
    public void Announced_egresses_that_never_answer_get_no_message_and_no_place()
    {
        var ingress = new SimulatedIngress(_nats, "i", Small);
        var egress = new SimulatedEgress(_nats, "e", Small);
        for (int i = 0; i < 1000; i++)
        {
            ingress.Ingress.OnAnnouncement(Announcement($"ghost{i}"));
        }

        Run(egress);
        for (int i = 0; i < 50; i++)
        {
            Assert.True(ingress.TryAccept("x"));
            Run(egress);
        }

        Assert.Equal(50, egress.Taken.Count);
        Assert.Equal(1, ingress.Ingress.Egresses);
        Assert.Equal(0, ingress.Pool.Outstanding);
    }

    [Fact]
    public void Who_announces_the_name_of_a_dead_egress_does_not_keep_its_messages()
    {
        var ingress = new SimulatedIngress(_nats, "i", Small);
        var dead = new SimulatedEgress(_nats, "e1", Small);
        Run(dead);
        Assert.True(ingress.TryAccept("1"));
        _nats.Remove(dead.Participant);
        var other = new SimulatedEgress(_nats, "e2", Small);
        for (int i = 0; i < 6; i++)
        {
            ingress.Ingress.OnAnnouncement(Announcement("e1"));
            other.Egress.Tick();
            Run(other);
            ingress.Ingress.Tick();
        }

        Run(other);
        Assert.Equal(["1"], other.Taken);
    }

    [Fact]
    public void Ingresses_that_do_not_receive_what_the_egress_sends_leave_room_for_the_honest()
    {
        var egress = new SimulatedEgress(_nats, "e", Small);
        Run(egress);
        for (int i = 0; i < 1000; i++)
        {
            egress.Egress.OnMessage(Encoding.ASCII.GetBytes($"NATS/1.0\r\nZmq-Ingress: asker{i}.1\r\nZmq-Last: 0\r\n\r\n"), default);
            egress.Egress.OnMessage(Encoding.ASCII.GetBytes($"NATS/1.0\r\nZmq-Ingress: sender{i}.1\r\nZmq-Seq: 1\r\n\r\n"), "x"u8);
            egress.Egress.OnMessage(
                Encoding.ASCII.GetBytes($"NATS/1.0\r\nZmq-Ingress: guesser{i}.1\r\nZmq-Last: 0\r\nZmq-Token: {i:x24}\r\n\r\n"), default);
        }

        Assert.Equal(8, egress.Egress.Links);
        egress.Participant.Sent.Clear();
        SimulatedIngress[] honest = [.. Enumerable.Range(0, 8).Select(i => new SimulatedIngress(_nats, $"i{i}", Small))];
        Run(egress);
        int before = egress.Taken.Count;
        foreach (SimulatedIngress ingress in honest)
        {
            Assert.True(ingress.TryAccept("x"));
        }

        Run(egress);
        Assert.Equal(before + 8, egress.Taken.Count);
        Assert.All(honest, ingress => Assert.Equal(1, ingress.Ingress.Counters.Acknowledged));
    }

    [Fact]
    public void A_message_and_an_end_under_ever_new_names_leave_nothing()
    {
        var egress = new SimulatedEgress(_nats, "e", Small) { Room = 0 };
        egress.Egress.OnMessage("NATS/1.0\r\nZmq-Ingress: first.1\r\nZmq-Seq: 1\r\n\r\n"u8, "x"u8);
        long before = GC.GetTotalMemory(forceFullCollection: true);
        for (int i = 0; i < 20_000; i++)
        {
            egress.Egress.OnMessage(Encoding.ASCII.GetBytes($"NATS/1.0\r\nZmq-Ingress: e{i}.1\r\nZmq-Seq: 1\r\n\r\n"), "x"u8);
            egress.Egress.OnMessage(Encoding.ASCII.GetBytes($"NATS/1.0\r\nZmq-Ingress: e{i}.1\r\nZmq-End: 1\r\n\r\n"), default);
        }

        Assert.Equal((1, 1L), (egress.Egress.Links, egress.Egress.Waiting));
        Assert.InRange(GC.GetTotalMemory(forceFullCollection: true) - before, long.MinValue, 4 << 20);
        egress.Room = 10;
        egress.Egress.Drain();
        Assert.Equal(["x"], egress.Taken);
    }

    [Fact]
    public void All_partners_of_an_ingress_share_one_budget_and_none_takes_the_share_of_others()
    {
        PipelineLimits limits = Small with { Window = 1000, WindowBytes = 1 << 20, MostBytes = 1 << 20, MostSilentTicks = 1000 };
        var ingress = new SimulatedIngress(_nats, "i", limits);
        SimulatedEgress[] stuck = [.. Enumerable.Range(0, 9).Select(i => new SimulatedEgress(_nats, $"s{i}", limits) { Room = 0 })];
        var egress = new SimulatedEgress(_nats, "e", limits);
        SimulatedEgress[] all = [.. stuck, egress];
        Run(all);
        string message = new('a', 1000);
        int sent = 0;
        while (sent < 5000 && ingress.TryAccept(message))
        {
            sent++;
            Run(all);
            Assert.InRange(ingress.Pool.Outstanding, 0, (1 << 20) + (10 * PipelineMemoryPool.ChunkSize));
        }

        Assert.Equal(5000, sent);
        Assert.InRange(egress.Taken.Count, 4000, 5000);
    }

    [Fact]
    public void All_partners_of_an_egress_share_one_budget_and_nothing_is_lost()
    {
        PipelineLimits limits = Small with { Window = 1000, WindowBytes = 1 << 20, MostBytes = 1 << 20, MostSilentTicks = 1000 };
        var egress = new SimulatedEgress(_nats, "e", limits) { Room = 0 };
        SimulatedIngress[] all = [.. Enumerable.Range(0, 10).Select(i => new SimulatedIngress(_nats, $"i{i}", limits))];
        Run(egress);
        string message = new('a', 1000);
        int accepted = 0;
        for (int i = 0; i < 20_000; i++)
        {
            accepted += all[i % all.Length].TryAccept(message) ? 1 : 0;
            Run(egress);
            Assert.InRange(egress.Pool.Outstanding, 0, (1 << 20) + PipelineMemoryPool.ChunkSize);
        }

        egress.Room = int.MaxValue;
        for (int i = 0; i < 100 && egress.Taken.Count < accepted; i++)
        {
            egress.Egress.Drain();
            Run(egress);
            foreach (SimulatedIngress ingress in all)
            {
                ingress.Ingress.Tick();
            }
        }

        Assert.Equal(accepted, egress.Taken.Count);
        Assert.Equal(accepted, all.Sum(ingress => ingress.Ingress.Counters.Acknowledged));
    }

    private static byte[] Announcement(string name)
        => Encoding.ASCII.GetBytes($"NATS/1.0\r\nZmq-Egress: {name}\r\nZmq-Window: 4096 999999999\r\n\r\n");

    private static byte[] Acknowledgement(string name, long number)
        => Encoding.ASCII.GetBytes($"NATS/1.0\r\nZmq-Egress: {name}\r\nZmq-Ack: {number}\r\nZmq-Window: 8 1000\r\n\r\n");

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
