using Broker.LoadTest.Driver;
using Broker.LoadTest.Rows.Real;

namespace Broker.LoadTest.Rows.Leaf;

/// <summary>
/// Rows in which each server is a leaf node of a nats-server of its own. CPU and memory are those of the leaf node.
/// </summary>
internal static class LeafRows
{
    private const int Subscriptions = 100_000;
    private const string Outward = "publisher at the leaf → reader at the hub";
    private const string Inward = "publisher at the hub → reader at the leaf";

    private static readonly Goal OneWay = new() { Rate = 1, Cpu = 0.5 };
    private static readonly Traffic Varied = new Traffic { Size = 128 } with { Subjects = 1_000 };

    public static IReadOnlyList<Row> Create() =>
    [
        new AcrossLink(new FanOut("leaf-16", $"{Outward}, 16 B", 1, Payloads.Pattern(16))) { Goal = OneWay },
        new AcrossLink(new FanOut("leaf-128", $"{Outward}, 128 B", 1, Payloads.Pattern(128))) { Goal = OneWay },
        new AcrossLink(new RealDelivery("leaf-128-1k", Outward, Readers(1), Varied)) { Goal = OneWay },
        new AcrossLink(new RealDelivery("leaf-queue2-128-1k", "publisher at the leaf → queue of 2 at the hub", Readers(2) with { Queue = "workers" }, Varied)) { Goal = OneWay },
        new AcrossLink(new FanOut("leaf-in-16", $"{Inward}, 16 B", 1, Payloads.Pattern(16)), inward: true) { Goal = OneWay },
        new AcrossLink(new RealDelivery("leaf-in-128-1k", Inward, Readers(1), Varied), inward: true) { Goal = OneWay },
        new AcrossLink(new RealDelivery("leaf-in-queue2-128-1k", "publisher at the hub → queue of 2 at the leaf", Readers(2) with { Queue = "workers" }, Varied), inward: true) { Goal = OneWay },
        new AcrossLink(new RequestReply("leaf-request16", "requester at the leaf, responder at the hub, 16 B", 16)) { Goal = new Goal { P50 = 1 } },
        new Announcement("leaf-announce100k", "100,000 subscriptions of a client at the leaf, until the hub has them", Subscriptions) { Goal = new Goal { Rate = 1 } },
        new Announcement("leaf-hub100k", "for comparison: the same subscriptions of a client at the hub", Subscriptions, atHub: true),
        new RemoteSubscriptions("leaf-memory100k", Subscriptions),
    ];

    private static Topology Readers(int count) => new() { Subject = "", PayloadSize = 0, Readers = count };
}
