using System.Globalization;

namespace Broker.Bridge.Tests.Pipelines;

/// <summary>How several ingresses share one egress that takes fewer messages than they send.</summary>
public sealed class CreditShareTests
{
    private static readonly PipelineLimits Small = new() { Window = 8, WindowBytes = 1000, MostSilentTicks = 2 };

    private readonly SimulatedNats _nats = new(1);

    [Fact]
    public void Ingresses_of_unequal_load_get_the_same_share_of_an_egress()
    {
        var busy = new SimulatedIngress(_nats, "busy", Small);
        var calm = new SimulatedIngress(_nats, "calm", Small);
        var egress = new SimulatedEgress(_nats, "e", Small) { Room = 0 };
        Run(egress);
        int sent = 0;
        for (int round = 0; round < 100; round++)
        {
            while (busy.TryAccept(string.Create(CultureInfo.InvariantCulture, $"busy {sent}")))
            {
                sent++;
            }

            if (round % 4 == 0)
            {
                Assert.True(calm.TryAccept(string.Create(CultureInfo.InvariantCulture, $"calm {round}")));
            }

            Run(egress);
            egress.Room = 2;
            egress.Egress.Drain();
            Run(egress);
        }

        // The calm ingress may use half of the capacity, which is more than it needs. The busy one uses the rest.
        Assert.Equal(25, egress.Taken.Count(name => name.StartsWith("calm", StringComparison.Ordinal)));
        Assert.Equal(175, egress.Taken.Count(name => name.StartsWith("busy", StringComparison.Ordinal)));
    }

    private void Run(SimulatedEgress egress)
    {
        do
        {
            egress.Flush();
        }
        while (_nats.Step());
    }
}
