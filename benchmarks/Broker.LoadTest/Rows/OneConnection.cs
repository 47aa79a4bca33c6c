namespace Broker.LoadTest.Rows;

/// <summary>
/// One connection publishes and receives. With members, this connection has all members of a queue group.
/// </summary>
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
