using System.Globalization;

namespace Broker.Bridge.Tests.Pipelines;

/// <summary>Random sequences of all events: every accepted message is delivered, and repeats are counted.</summary>
public sealed class CreditModelTests
{
    private static readonly PipelineLimits Limits = new() { Window = 16, WindowBytes = 200, MostSilentTicks = 3 };

    [Fact]
    public void While_both_ends_run_each_message_is_delivered_once_whatever_is_lost_between()
    {
        int seed = Seed.Next();
        for (int round = 0; round < 200; round++)
        {
            Play(seed + round, kills: false);
        }
    }

    [Fact]
    public void When_egresses_are_killed_each_message_is_delivered_and_possible_duplicates_are_counted()
    {
        int seed = Seed.Next();
        for (int round = 0; round < 200; round++)
        {
            Play(seed + round, kills: true);
        }
    }

    private static void Play(int seed, bool kills)
    {
        var random = new Random(seed);
        var nats = new SimulatedNats(seed);
        PipelineLimits limits = Limits with { KeepOrder = random.Next(2) == 0 };
        List<SimulatedIngress> ingresses = [];
        List<SimulatedEgress> egresses = [];
        List<SimulatedEgress> dead = [];
        Dictionary<string, IngressLink?> links = [];
        HashSet<string> accepted = [];
        for (int i = random.Next(1, 4); i > 0; i--)
        {
            ingresses.Add(new SimulatedIngress(nats, $"i{i}", limits));
        }

        for (int i = random.Next(1, 4); i > 0; i--)
        {
            egresses.Add(new SimulatedEgress(nats, $"e{i}", limits));
        }

        int number = 0;
        for (int step = 0; step < 2000; step++)
        {
            SimulatedIngress ingress = ingresses[random.Next(ingresses.Count)];
            SimulatedEgress egress = egresses[random.Next(egresses.Count)];
            switch (random.Next(40))
            {
                case < 12:
                    Accept(ingress, random.Next(3));
                    break;
                case < 32:
                    nats.Step();
                    break;
                case 32:
                    egress.Room = random.Next(30);
                    egress.Egress.Drain();
                    break;
                case 33:
                    egress.Flush();
                    break;
                case 34:
                    egress.Egress.Tick();
                    break;
                case 35 when kills || random.Next(2) == 0:
                    // No live end is silent for long.
                    egresses.ForEach(e => e.Egress.Tick());
                    Settle();
                    ingresses.ForEach(i => i.Ingress.Tick());
                    break;
                case 36 when random.Next(10) == 0:
                    nats.Lose();

                    // Sometimes for longer than the state of a silent end is kept.
                    for (int tick = random.Next(3) == 0 ? 100 * limits.MostSilentTicks : 0; tick > 0; tick--)
                    {
                        egresses.ForEach(e => e.Egress.Tick());
                    }

                    nats.Recover();
                    break;
                case 37:
                    ingress.Participant.IsFull = !ingress.Participant.IsFull;
                    if (!ingress.Participant.IsFull)
                    {
                        ingress.Ingress.OnWritable();
                    }

                    break;
                case 38 when random.Next(5) == 0:
                    egress.Egress.Release();
                    egress.Flush();
                    egress.Egress.Open();
                    break;
                case 39 when kills && random.Next(10) == 0:
                    nats.Remove(egress.Participant);
                    egresses.Remove(egress);
                    dead.Add(egress);
                    egresses.Add(new SimulatedEgress(nats, $"n{step}", limits));
                    break;
            }
        }

        ingresses.ForEach(i => i.Participant.IsFull = false);
        for (int round = 0; round < 2000 && ingresses.Any(i => i.Ingress.Counters.InFlight > 0); round++)
        {
            foreach (SimulatedEgress egress in egresses)
            {
                egress.Room = int.MaxValue;
                egress.Egress.Drain();
                egress.Egress.Tick();
            }

            Settle();
            ingresses.ForEach(i => i.Ingress.Tick());
            Settle();
        }

        string[] taken = [.. egresses.Concat(dead).SelectMany(e => e.Taken)];
        string how = $"seed {seed}, kills {kills}: {taken.Length} of {accepted.Count}";
        Assert.True(ingresses.All(i => i.Ingress.Counters.InFlight == 0), how);
        Assert.True(accepted.SetEquals(taken), how);
        long twice = taken.Length - accepted.Count;
        long counted = ingresses.Sum(i => i.Ingress.Counters.PossibleDuplicates);
        Assert.True(twice <= counted, $"{how}; {counted} possible duplicates");
        Assert.True(kills || counted == 0, $"{how}; {counted} possible duplicates while all live");
        if (limits.KeepOrder && !kills)
        {
            foreach (SimulatedEgress egress in egresses)
            {
                AssertInOrder(egress.Taken, how);
            }
        }

        void Accept(SimulatedIngress ingress, int pusher)
        {
            string name = string.Create(CultureInfo.InvariantCulture, $"{ingress.Ingress.Id}/{pusher}/{number:D6}");
            links.TryGetValue($"{ingress.Ingress.Id}/{pusher}", out IngressLink? link);
            bool taken = limits.KeepOrder
                ? ingress.Ingress.TryAcceptInOrder(System.Text.Encoding.ASCII.GetBytes(name), 1, ref link)
                : ingress.TryAccept(name);
            links[$"{ingress.Ingress.Id}/{pusher}"] = link;
            if (taken)
            {
                accepted.Add(name);
                number++;
            }
        }

        void Settle()
        {
            do
            {
                egresses.ForEach(e => e.Flush());
            }
            while (nats.Step());
        }
    }

    private static void AssertInOrder(List<string> taken, string how)
    {
        foreach (IGrouping<string, string> pusher in taken.GroupBy(name => name[..name.LastIndexOf('/')]))
        {
            Assert.True(pusher.SequenceEqual(pusher.Order(StringComparer.Ordinal)), $"{how}: out of order for {pusher.Key}");
        }
    }
}
