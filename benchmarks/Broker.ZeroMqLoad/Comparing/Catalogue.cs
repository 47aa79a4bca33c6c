using System.Globalization;

namespace Broker.ZeroMqLoad.Comparing;

/// <summary>All rows.</summary>
internal static class Catalogue
{
    private const int RoundTrips = 20_000;
    private const int Attempts = 100;
    private const int PublishingTime = 1_000;

    // The counts let each kind run for about a second.
    private static readonly (int Size, int Libzmq, int Ours, int NetMq)[] Sizes =
    [
        (8, 3_000_000, 20_000_000, 800_000), (64, 3_000_000, 10_000_000, 800_000), (256, 1_500_000, 4_000_000, 500_000),
        (1024, 500_000, 1_500_000, 200_000), (65_536, 25_000, 40_000, 12_000),
    ];

    private static readonly Kind[] Kinds = [Kind.Libzmq, Kind.Threads, Kind.Loops, Kind.NetMqBytes, Kind.NetMqMsg, Kind.CompatibleBytes, Kind.CompatibleMsg];

    public static IReadOnlyList<Row> All { get; } =
    [
        .. Sizes.Select(size => Push(Name($"push {size.Size} B"), size, varies: false)),
        Push("push 0 to 512 B", (512, 1_500_000, 4_000_000, 500_000), varies: true),
        Request(),
        .. new[] { 1, 10, 100 }.Select(Publish),
        Forward(64, 2_000_000),
        Forward(1024, 500_000),
        Memory(10_000),
        .. BridgeRows.All,
    ];

    /// <summary>
    /// Returns the rows whose names begin with one of these texts, or all rows if there are no texts.
    /// </summary>
    public static IReadOnlyList<Row> Select(IReadOnlyList<string> beginnings)
        => beginnings.Count == 0 ? All : [.. All.Where(row => beginnings.Any(name => row.Name.StartsWith(name, StringComparison.Ordinal)))];

    /// <summary>Returns the first text with which no row's name begins; null if there is none.</summary>
    public static string? FindUnknown(IReadOnlyList<string> beginnings)
        => beginnings.FirstOrDefault(name => !All.Any(row => row.Name.StartsWith(name, StringComparison.Ordinal)));

    private static Row Push(string name, (int Size, int Libzmq, int Ours, int NetMq) size, bool varies)
    {
        Shape few = Of(size.Libzmq);
        Shape many = Of(size.Ours);
        Shape least = Of(size.NetMq);
        return new Row(name,
        [
            Between("libzmq", Kind.Libzmq, Kind.Libzmq, few),
            Between("threads", Kind.Threads, Kind.Threads, many),
            Between("threads, arrays", Kind.Threads, Kind.Arrays, many),
            Between("loops", Kind.Loops, Kind.Loops, many),
            Between("threads to libzmq", Kind.Threads, Kind.Libzmq, few),
            Between("libzmq to threads", Kind.Libzmq, Kind.Threads, few),
            Between(NameOf(Kind.NetMqBytes), Kind.NetMqBytes, Kind.NetMqBytes, least),
            Between(NameOf(Kind.NetMqMsg), Kind.NetMqMsg, Kind.NetMqMsg, least),
            Between(NameOf(Kind.CompatibleBytes), Kind.CompatibleBytes, Kind.CompatibleBytes, many),
            Between(NameOf(Kind.CompatibleMsg), Kind.CompatibleMsg, Kind.CompatibleMsg, many),
        ]);

        Shape Of(int count) => new(count, count, size.Size) { Varies = varies };

        static Variant Between(string name, Kind sender, Kind receiver, Shape shape)
            => new(name, ends => Measurements.Push(ends, sender, receiver, shape));
    }

    private static Row Request()
    {
        var shape = new Shape(RoundTrips, RoundTrips / 2, 64);
        return new Row("request 64 B",
        [
            new Variant("libzmq", ends => Measurements.Request(ends, Kind.Libzmq, shape)),
            new Variant("threads", ends => Measurements.Request(ends, Kind.Threads, shape)),
            new Variant(Name($"threads, {Attempts} attempts"), ends => Measurements.Request(ends, Kind.Threads, shape with { Attempts = Attempts })),
            new Variant("threads that run the loop", ends => Measurements.Request(ends, Kind.Threads, shape with { RunsLoop = true })),
            new Variant(
                Name($"threads that run the loop, {Attempts} attempts"),
                ends => Measurements.Request(ends, Kind.Threads, shape with { RunsLoop = true, Attempts = Attempts })),
            .. new[] { Kind.NetMqBytes, Kind.NetMqMsg, Kind.CompatibleBytes, Kind.CompatibleMsg }.Select(kind =>
                new Variant(NameOf(kind), ends => Measurements.Request(ends, kind, shape))),
        ]);
    }

    private static Row Publish(int subscribers) => new(Name($"publish 64 B to {subscribers}"),
    [
        .. Kinds.Select(kind =>
            new Variant(NameOf(kind), ends => Measurements.Publish(ends, kind, subscribers, PublishingTime, 64))),
    ]);

    private static Row Forward(int size, int count) => new(Name($"forward {size} B"),
    [
        .. new[] { Kind.Libzmq, Kind.Threads, Kind.Loops }.Select(kind =>
            new Variant(NameOf(kind), ends => Measurements.Forward(ends, kind, new Shape(count, count / 2, size)))),
    ]);

    private static Row Memory(int connections) => new(Name($"memory of {connections} idle SUB"),
    [
        .. new[] { Kind.Threads, Kind.Loops }.Select(kind =>
            new Variant(NameOf(kind), ends => Measurements.Memory(ends, kind, connections))),
    ]);

    private static string NameOf(Kind kind) => kind switch
    {
        Kind.Libzmq => "libzmq",
        Kind.Threads => "threads",
        Kind.NetMqBytes => "NetMQ, ReceiveFrameBytes",
        Kind.NetMqMsg => "NetMQ, Msg",
        Kind.CompatibleBytes => "NetMQ's API on ours, ReceiveFrameBytes",
        Kind.CompatibleMsg => "NetMQ's API on ours, Msg",
        _ => "loops",
    };

    public static string Name(FormattableString name) => name.ToString(CultureInfo.InvariantCulture);
}
