namespace Broker.ZeroMqLoad.Comparing;

/// <summary>
/// The rows that measure a bridge with its broker in one process. They compare it with libzmq's forwarder,
/// <c>zmq_proxy</c>, and with a direct connection.
/// </summary>
internal static class BridgeRows
{
    private const int RoundTrips = 20_000;
    private const int PublishingTime = 4_000;
    private const int WarmUp = 1_500;
    private const int ManyTopics = 1_000;

    // The warm-up is for the compiler and lets routes and queues reach their sizes.
    private static readonly Shape Small = new(3_000_000, 2_000_000, 64);
    private static readonly Shape Large = new(600_000, 400_000, 1024);
    private static readonly Shape Published = new(PublishingTime, WarmUp, 64) { Topics = 1 };
    private static readonly Shape PublishedLarge = new(PublishingTime, WarmUp, 1024) { Topics = 1 };

    public static IReadOnlyList<Row> All { get; } =
    [
        Row("bridge push 64 B", Measurements.Pipeline, Small),
        Row("bridge push 1024 B", Measurements.Pipeline, Large),
        Row("bridge publish 64 B", Measurements.Publications, Published),
        Row("bridge publish 1024 B", Measurements.Publications, PublishedLarge),
        Row(Catalogue.Name($"bridge publish 64 B on {ManyTopics} topics"), Measurements.Publications, Published with { Topics = ManyTopics }),
        Row("bridge request 64 B", Measurements.Requests, new Shape(RoundTrips, RoundTrips / 2, 64)),
        new Row("bridge native 64 B",
        [
            new Variant("PUB to SUB", ends => Measurements.Direct(ends, Published)),
            new Variant("PUB to native", ends => Measurements.ToNative(ends, Published)),
            new Variant("native to SUB", ends => Measurements.FromNative(ends, Published)),
        ]),
        .. new[] { Small with { Count = 1_000_000, WarmUp = 500_000 }, Large with { Count = 200_000, WarmUp = 100_000 } }.Select(Attached),
    ];

    private static Row Attached(Shape shape) => new(Catalogue.Name($"attached push {shape.Size} B"),
    [
        new Variant("NetMQ by tcp to a bridge", ends => Measurements.Attached(ends, isAttached: false, shape)),
        new Variant("NetMQ, attached", ends => Measurements.Attached(ends, isAttached: true, shape)),
    ]);

    private static Row Row(string name, Func<EndFactory, Kind, Shape, Result> measure, Shape shape) => new(name,
    [
        new Variant("zmq_proxy", ends => measure(ends, Kind.Libzmq, shape)),
        new Variant("bridge", ends => measure(ends, Kind.Bridge, shape)),
    ]);
}
