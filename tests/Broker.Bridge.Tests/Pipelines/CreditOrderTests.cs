using System.Globalization;
using System.Text;

namespace Broker.Bridge.Tests.Pipelines;

/// <summary>Which pushers wait if an egress dies or stalls while each pusher keeps its order.</summary>
public sealed class CreditOrderTests
{
    private static readonly PipelineLimits Ordered = new() { Window = 8, WindowBytes = 1000, MostSilentTicks = 2, KeepOrder = true };

    private readonly SimulatedNats _nats = new(1);
    private readonly SimulatedIngress _ingress;
    private readonly SimulatedEgress[] _egresses;

    public CreditOrderTests()
    {
        _ingress = new SimulatedIngress(_nats, "i", Ordered);
        _egresses = [new(_nats, "e1", Ordered) { Room = 0 }, new(_nats, "e2", Ordered) { Room = 0 }, new(_nats, "e3", Ordered) { Room = 0 }];
        Run();
    }

    [Fact]
    public void A_stalled_successor_blocks_only_the_pushers_that_use_it()
    {
        Pusher a = new("a"), b = new("b"), c = new("c");
        SimulatedEgress dies = Push(a, 8);
        SimulatedEgress stalls = Push(b, 4);
        SimulatedEgress takes = Push(c, 8);
        Assert.False(TryPush(c));

        // Half of the returned messages fill the only egress that has capacity.
        dies.Egress.Release();
        Run();
        Assert.Equal((8, 0), (stalls.Egress.Waiting, stalls.Taken.Count));
        Assert.False(TryPush(c));
        int rooms = _ingress.Rooms;
        Go(takes);
        Assert.True(_ingress.Rooms > rooms);
        for (int i = 0; i < 20; i++)
        {
            Assert.True(TryPush(c));
            Assert.False(TryPush(a));
            Assert.False(TryPush(b));
            Run();
        }

        Assert.True(TryPush(new Pusher("new")));
        Go(stalls);
        Assert.True(TryPush(a));
        Assert.True(TryPush(b));
        Run();
        Assert.Equal(Names(a), stalls.Taken.Where(name => name[0] == 'a'));
        Assert.Equal(Names(b), stalls.Taken.Where(name => name[0] == 'b'));
        Assert.Equal(Names(c), takes.Taken.Where(name => name[0] == 'c'));
    }

    // Pushes through an egress that no pusher has used before; the result shows which one it is.
    private SimulatedEgress Push(Pusher pusher, int messages)
    {
        SimulatedEgress[] empty = [.. _egresses.Where(egress => egress.Egress.Waiting == 0)];
        for (; messages > 0; messages--)
        {
            Assert.True(TryPush(pusher));
        }

        Run();
        return Assert.Single(empty, egress => egress.Egress.Waiting > 0);
    }

    private bool TryPush(Pusher pusher)
    {
        bool isTaken = _ingress.Ingress.TryAcceptInOrder(Encoding.ASCII.GetBytes(pusher.Next), 1, ref pusher.Link);
        pusher.Sent += isTaken ? 1 : 0;
        return isTaken;
    }

    private void Go(SimulatedEgress egress)
    {
        egress.Room = int.MaxValue;
        egress.Egress.Drain();
        Run();
    }

    private static IEnumerable<string> Names(Pusher pusher)
        => Enumerable.Range(0, pusher.Sent).Select(number => string.Create(CultureInfo.InvariantCulture, $"{pusher.Name}{number}"));

    private void Run()
    {
        do
        {
            foreach (SimulatedEgress egress in _egresses)
            {
                egress.Flush();
            }
        }
        while (_nats.Step());
    }

    private sealed class Pusher(string name)
    {
        internal IngressLink? Link;

        internal string Name { get; } = name;

        internal int Sent { get; set; }

        internal string Next => string.Create(CultureInfo.InvariantCulture, $"{Name}{Sent}");
    }
}
