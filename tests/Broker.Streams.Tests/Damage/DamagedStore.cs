using Broker.Streams.Tests.Crashes;
using Broker.Streams.Tests.Simulation;
using Broker.Streams.Tests.Store;

namespace Broker.Streams.Tests.Damage;

/// <summary>A small store whose messages and their places are known, so that damage has a known effect.</summary>
internal sealed class DamagedStore
{
    private const string Consumer = "worker";

    private static readonly string[] Names = ["a", "b"];

    private readonly SimulatedDisk _disk = new();
    private readonly Dictionary<string, (ulong Sequence, string Text)[]> _expected = [];
    private readonly List<string> _progress = [];
    private readonly List<(string File, long From, long To, string Stream, ulong Sequence)> _places = [];

    private DamagedStore()
    {
    }

    public Dictionary<string, byte[]> Contents { get; } = [];

    public Dictionary<string, int> Outcomes { get; } = [];

    public static DamagedStore Make(bool isClosed, int segmentBytes = 2048, int messages = 24)
    {
        var made = new DamagedStore();
        var store = StreamStore.Open(made._disk, StoreExtensions.Small(segmentBytes, 512));
        StoredStream a = store.Add("a");
        StoredStream b = store.Add("b");
        for (int i = 1; i <= messages; i++)
        {
            store.Queue(a, $"a message {i} {new string('x', 20)}");
            store.Queue(b, $"b message {i}");
            Handle(store, a, (ulong)i);
            store.Commit();
            made._progress.Add(ConsumerModel.TextOf(a.Consumers[Consumer].Progress));
        }

        foreach (string name in Names)
        {
            made._expected[name] = store.All(name);
            StoredStream stream = store.Find(name)!;
            for (ulong sequence = 1; sequence <= stream.Last; sequence++)
            {
                Assert.True(stream.TryFind(sequence, out MessageEntry entry));
                made._places.Add((entry.Segment!.Name, entry.Offset, entry.Offset + entry.Size, name, sequence));
            }
        }

        if (isClosed)
        {
            store.Dispose();
        }
        else
        {
            made._disk.EndProcess();
        }

        foreach ((string name, SimulatedFile file) in made._disk.Files)
        {
            made.Contents[name] = file.Current;
        }

        return made;
    }

    public SimulatedDisk Copy() => _disk.Copy();

    /// <summary>Checks a store that was damaged between two offsets of a file, and was then repaired.</summary>
    /// <param name="disk">The store.</param>
    /// <param name="file">The damaged file.</param>
    /// <param name="from">The first damaged byte.</param>
    /// <param name="to">The end of the damage.</param>
    /// <param name="report">The report of the repair; null if an interrupted repair has removed a part of the damage.</param>
    public void CheckRepaired(SimulatedDisk disk, string file, int from, int to, StoreReport? report)
    {
        using var store = StreamStore.Open(disk, StoreExtensions.Small());
        Assert.True(store.Recovery.IsClean, string.Join('\n', store.Recovery.Damage.Concat(store.Recovery.Notices)));
        long lost = 0;
        foreach (string name in Names)
        {
            HashSet<ulong> damaged = [.. _places.Where(place => place.File == file && place.Stream == name && place.From < to && place.To > from).Select(static place => place.Sequence)];
            Assert.Equal(_expected[name].Where(message => !damaged.Contains(message.Sequence)), store.All(name));
            lost += damaged.Count;
            if (report is not null)
            {
                CheckReport(report, name, damaged);
            }

            store.Append(store.Find(name)!, "new");
            Assert.True(store.All(name)[^1].Sequence > _expected[name][^1].Sequence, "A sequence is used again.");
        }

        CheckConsumer(store.Find("a")!);
        if (report is not null)
        {
            CountOutcome(report, lost);
        }
    }

    private void CheckReport(StoreReport report, string name, HashSet<ulong> damaged)
    {
        StreamReport described = report.Streams.Single(stream => stream.Name == name);
        Assert.Equal(_expected[name].Length - damaged.Count, described.Messages);
        Assert.True(damaged.Count == 0 || report.Findings.Any(static finding => finding.Kind != StoreFindingKind.Notice), "Messages are lost without a finding.");
        CheckNamed(report, name, damaged);
    }

    // Only lost messages are named. The last ones of a stream may have no name.
    private static void CheckNamed(StoreReport report, string name, HashSet<ulong> damaged)
    {
        ulong[] named = [.. report.Findings.SelectMany(static finding => finding.Lost).Where(lost => lost.Stream == name)
            .SelectMany(static lost => Enumerable.Range(0, (int)(lost.Last - lost.First + 1)).Select(i => lost.First + (ulong)i))];
        Assert.Subset(damaged, named.ToHashSet());
        Assert.Equal(named.Length, named.Distinct().Count());
        ulong lastNamed = named.DefaultIfEmpty(0UL).Max();
        Assert.Empty(damaged.Where(sequence => sequence < lastNamed).Except(named));
        Assert.True(named.Length == damaged.Count || report.Findings.Any(static finding => finding.MostRecords > 0));
        Assert.Equal(named.Length, report.Streams.Single(stream => stream.Name == name).Lost);
    }

    // The consumer is at a state that it had, so it receives messages again, and skips none.
    private void CheckConsumer(StoredStream stream)
    {
        string found = stream.Consumers.TryGetValue(Consumer, out StoredConsumer? consumer) ? ConsumerModel.TextOf(consumer.Progress) : "";
        Assert.True(found.Length == 0 || _progress.Contains(found), $"The progress of the consumer is '{found}'.");
    }

    private void CountOutcome(StoreReport report, long lost)
    {
        long named = report.Streams.Sum(static stream => stream.Lost);
        string outcome = lost == 0 ? (report.IsDamaged ? "no message lost, damage repaired" : report.Findings.Count > 0 ? "no message lost, found" : "harmless")
            : named == lost ? "messages lost and named" : "messages lost, the last ones without a name";
        Outcomes[outcome] = Outcomes.GetValueOrDefault(outcome) + 1;
    }

    // Messages are delivered in turn, and every other one is acknowledged.
    private static void Handle(StreamStore store, StoredStream stream, ulong sequence)
    {
        using StoreBatch batch = store.Begin();
        if (sequence == 1)
        {
            Assert.Equal(QueueStatus.Queued, batch.PutConsumer(stream, Consumer, "c"u8, new ConsumerProgress().ToArray()));
            return;
        }

        var changes = new ByteWriter();
        ConsumerProgress.WriteDelivery(changes, sequence - 1, sequence - 1, 1, isPending: true);
        if (sequence % 2 == 0)
        {
            ConsumerProgress.WriteAcknowledgement(changes, sequence - 1, withAllBefore: false);
        }

        Assert.Equal(QueueStatus.Queued, batch.ChangeConsumer(stream, Consumer, changes.Written));
    }
}
