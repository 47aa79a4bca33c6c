using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Rows;

/// <summary>One publisher; the members of one queue group, each on its own connection, share the messages.</summary>
internal sealed class QueueGroup(string name, int members, int payloadSize)
    : Delivery(
        name,
        $"1 publisher → queue of {members}, {payloadSize} B",
        new Topology { Subject = "foo", PayloadSize = payloadSize, Readers = members, Queue = "workers" },
        Payloads.Pattern(payloadSize));
