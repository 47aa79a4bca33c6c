namespace Broker.LoadTest.Rows.Real;

/// <summary>Traffic in which no line repeats the one before, and fan-out to very many.</summary>
internal static class RealRows
{
    /// <summary>What is shorter says little on a shared machine.</summary>
    public const double Shortest = 0.3;

    private static readonly Traffic Small = new() { Size = 16 };
    private static readonly Traffic Varying = new() { Size = 256, Varies = true };

    public static IReadOnlyList<Row> Create() =>
    [
        new RealPublish("real-pub16-same", Small, repeats: true),
        new RealPublish("real-pub16-100", Small with { Subjects = 100 }),
        new RealPublish("real-pub16-10k", Small with { Subjects = 10_000 }),
        new RealPublish("real-pub16-1M", Small with { Subjects = 1_000_000 }),
        new RealPublish("real-pub256-1", Varying),
        new RealPublish("real-pub256-1k", Varying with { Subjects = 1_000 }),
        new RealPublish("real-pub16-replies", Small with { Replies = true }),

        OneToOne("real-one16-100", Small with { Subjects = 100 }),
        OneToOne("real-one256-1k", Varying with { Subjects = 1_000 }),
        OneToOne("real-one16-replies", Small with { Replies = true }),
        OneToOne("real-one16-1M", Small with { Subjects = 1_000_000 }),
        Many("real-queue4-1k", "1 publisher → queue of 4", new Topology { Subject = "", PayloadSize = 0, Readers = 4, Queue = "workers" }, Small with { Subjects = 1_000 }),
        Many("real-fanin50-1k", "50 publishers → 1 reader", new Topology { Subject = "", PayloadSize = 0, Publishers = 50 }, Varying with { Subjects = 1_000 }),
        Many("real-fanout20-1k", "1 publisher → 20 readers", Readers(20), Varying with { Subjects = 1_000 }),

        FanOut(100, 16),
        FanOut(200, 16),
        FanOut(400, 16),
        FanOut(800, 16),
        FanOut(800, 256),
        new RealDelivery("real-ping-fanout800", "1 publisher → 800 readers", Readers(800), Small, hasBystander: true),

        Flood(16),
        Flood(128),
        Flood(2_400),
        Flood(64 * 1024),
    ];

    private static RealDelivery OneToOne(string name, Traffic traffic) => Many(name, "publisher and reader", Readers(1), traffic);

    private static RealDelivery Many(string name, string who, Topology topology, Traffic traffic) => new(name, who, topology, traffic);

    private static RealDelivery FanOut(int readers, int size)
        => Many($"real-fanout{readers}-{size}", $"1 publisher → {readers} readers", Readers(readers), Small with { Size = size });

    private static RealPublish Flood(int size)
        => new($"real-flood{size}", Small with { Size = size }, repeats: true, hasBystander: true);

    private static Topology Readers(int count) => new() { Subject = "", PayloadSize = 0, Readers = count };
}
