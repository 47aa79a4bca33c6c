using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Rows;

/// <summary>Connects the readers of a topology and creates their subscriptions.</summary>
internal static class Wiring
{
    public static RawConnection[] Subscribe(Session session, Topology topology)
    {
        RawConnection[] readers = [.. Enumerable.Range(0, topology.Readers).Select(_ => session.DialReader(topology.PayloadSize))];
        foreach (RawConnection reader in readers)
        {
            for (int sid = 1; sid <= topology.SubscriptionsPerReader; sid++)
            {
                reader.Send(Frames.Subscribe(topology.Subject, topology.Queue, sid));
            }

            reader.Fence();
        }

        session.AwaitInterest();
        return readers;
    }
}
