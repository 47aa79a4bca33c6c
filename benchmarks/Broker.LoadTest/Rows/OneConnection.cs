namespace Broker.LoadTest.Rows;

/// <summary>One connection publishes and receives; with members, it holds all members of a queue group itself.</summary>
internal sealed class OneConnection(string name, string what, byte[] payload, int members = 0)
    : Delivery(
        name,
        what,
        new Topology
        {
            Subject = "foo",
            PayloadSize = payload.Length,
            OneConnection = true,
            SubscriptionsPerReader = Math.Max(1, members),
            Queue = members > 0 ? "workers" : null,
        },
        payload);
