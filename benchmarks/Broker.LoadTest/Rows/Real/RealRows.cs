namespace Broker.LoadTest.Rows.Real;

/// <summary>
/// Rows with messages that do not repeat the previous line, and rows with fan-out to very many readers.
/// </summary>
internal static class RealRows
{
    /// <summary>The minimum duration. Shorter measurements are not reliable on a shared machine.</summary>
    public const double Shortest = 0.3;

    /// <summary>The minimum duration with a PING each millisecond. A percentile needs several rounds of it.</summary>
    public const double ShortestBeside = 0.5;

    private static readonly Traffic Small = new() { Size = 16 };
    private static readonly Traffic Varying = new() { Size = 256, Varies = true };

    public static IReadOnlyList<Row> Create() =>
    [
        new RealPublish("real-pub16-same", Small, repeats: true) { Goal = Of(6, 0.13) },
        new RealPublish("real-pub16-100", Small with { Subjects = 100 }) { Goal = Of(4.5, 0.22) },
        new RealPublish("real-pub16-10k", Small with { Subjects = 10_000 }) { Goal = Of(5, 0.2) },
        new RealPublish("real-pub16-1M", Small with { Subjects = 1_000_000 }) { Goal = Of(4, 0.25) },
        new RealPublish("real-pub256-1", Varying) { Goal = Of(4, 0.25) },
        new RealPublish("real-pub256-1k", Varying with { Subjects = 1_000 }) { Goal = Of(4, 0.25) },
        new RealPublish("real-pub16-replies", Small with { Replies = true }) { Goal = Of(5, 0.2) },

        OneToOne("real-one16-100", Small with { Subjects = 100 }, Of(5, 0.2)),
        OneToOne("real-one256-1k", Varying with { Subjects = 1_000 }, Of(5, 0.2)),
        OneToOne("real-one16-replies", Small with { Replies = true }, Of(5, 0.2)),
        OneToOne("real-one16-1M", Small with { Subjects = 1_000_000 }, Of(5, 0.2)),
        Many("real-queue4-1k", "1 publisher → queue of 4", new Topology { Subject = "", PayloadSize = 0, Readers = 4, Queue = "workers" }, Small with { Subjects = 1_000 }, Of(5, 0.18)),
        Many("real-fanin50-1k", "50 publishers → 1 reader", new Topology { Subject = "", PayloadSize = 0, Publishers = 50 }, Varying with { Subjects = 1_000 }, Of(4, 0.18)),
        Many("real-fanout20-1k", "1 publisher → 20 readers", Readers(20), Varying with { Subjects = 1_000 }, Of(5, 0.18)),

        FanOut(100, 16, Of(3, 0.3) with { Memory = 1 }),
        FanOut(200, 16, Of(3, 0.27) with { Memory = 1 }),
        FanOut(400, 16, Of(3, 0.27) with { Memory = 1 }),
        FanOut(800, 16, Of(2.5, 0.35) with { Memory = 1 }),
        FanOut(800, 256, Of(2, 0.38) with { Memory = 1 }),
        new RealDelivery("real-ping-fanout800", "1 publisher → 800 readers", Readers(800), Small, hasBystander: true) { Goal = new Goal { P50Microseconds = 1_000, P99 = 1 } },

        Flood(16),
        Flood(128),
        Flood(2_400),
        Flood(64 * 1024),
    ];

    /// <summary>Rows with the same subscribers: in one all of them read, and in the other one is stopped.</summary>
    public static IReadOnlyList<Row> CreateSuspended() =>
    [
        new RealDelivery("real-ping-fanout100", "1 publisher → 100 readers", Readers(100), Small with { Size = 256 }, hasBystander: true),
        new RealDelivery("real-ping-stopped1of100", "1 publisher → 99 readers and one more that SIGSTOP has stopped", Readers(99), Small with { Size = 256 }, hasBystander: true, hasSuspended: true),
    ];

    private static Goal Of(double rate, double cpu) => new() { Rate = rate, Cpu = cpu };

    private static RealDelivery OneToOne(string name, Traffic traffic, Goal goal) => Many(name, "publisher and reader", Readers(1), traffic, goal);

    private static RealDelivery Many(string name, string who, Topology topology, Traffic traffic, Goal goal) => new(name, who, topology, traffic) { Goal = goal };

    private static RealDelivery FanOut(int readers, int size, Goal goal)
        => Many($"real-fanout{readers}-{size}", $"1 publisher → {readers} readers", Readers(readers), Small with { Size = size }, goal);

    private static RealPublish Flood(int size)
        => new($"real-flood{size}", Small with { Size = size }, repeats: true, hasBystander: true) { Goal = new Goal { Rate = 1, P99 = 1 } };

    private static Topology Readers(int count) => new() { Subject = "", PayloadSize = 0, Readers = count };
}
