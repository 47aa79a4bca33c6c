using Broker.Streams.Tests.Crashes;
using Broker.Streams.Tests.Simulation;
using Broker.Streams.Tests.Store;

namespace Broker.Streams.Tests.Damage;

/// <summary>
/// Damages a small store at every place. Nothing may be missing without a report, and nothing may be wrong.
/// </summary>
public sealed class DamageTests(ITestOutputHelper output)
{
    private const int Page = 4096;

    private const string Consumer = "worker";

    private static readonly string[] Names = ["a", "b"];

    // The progress of the consumer of the stream "a" after each of its changes.
    private readonly List<string> _progress = [];

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Every_flipped_byte_is_found_or_harmless(bool isClosed)
    {
        (SimulatedDisk disk, Dictionary<string, (ulong, string)[]> expected) = Make(isClosed);
        var outcomes = new Dictionary<string, int>(StringComparer.Ordinal);
        foreach ((string name, SimulatedFile file) in disk.Files)
        {
            for (int at = 0; at < file.Current.Length && !Ended.IsCancellationRequested; at++)
            {
                SimulatedDisk damaged = disk.Copy();
                damaged.Files[name].Current[at] ^= 0xff;
                Check(damaged, expected, $"{name} at {at}", outcomes);
            }
        }

        Print(outcomes);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Every_shorter_length_is_found_or_harmless(bool isClosed)
    {
        (SimulatedDisk disk, Dictionary<string, (ulong, string)[]> expected) = Make(isClosed);
        var outcomes = new Dictionary<string, int>(StringComparer.Ordinal);
        foreach ((string name, SimulatedFile file) in disk.Files)
        {
            for (int length = 0; length < file.Current.Length && !Ended.IsCancellationRequested; length++)
            {
                SimulatedDisk damaged = disk.Copy();
                damaged.Files[name].Current = damaged.Files[name].Current[..length];
                Check(damaged, expected, $"{name} cut to {length}", outcomes);
            }
        }

        Print(outcomes);
    }

    [Fact]
    public void Every_shorter_length_of_a_segment_without_an_index_is_found()
    {
        (SimulatedDisk disk, Dictionary<string, (ulong, string)[]> expected) = Make(isClosed: true);
        var outcomes = new Dictionary<string, int>(StringComparer.Ordinal);
        foreach ((string index, _) in disk.Files.Where(static file => file.Key.EndsWith(StoreFileNames.IndexEnd, StringComparison.Ordinal)))
        {
            string name = index.Replace(StoreFileNames.IndexEnd, StoreFileNames.SegmentEnd, StringComparison.Ordinal);
            for (int length = 0; length < disk.Files[name].Current.Length && !Ended.IsCancellationRequested; length++)
            {
                SimulatedDisk damaged = disk.Copy();
                damaged.Delete(index);
                damaged.Files[name].Current = damaged.Files[name].Current[..length];
                Check(damaged, expected, $"{name} without an index and cut to {length}", outcomes);
            }
        }

        Print(outcomes);
    }

    [Fact]
    public void Every_page_of_zeros_is_found_or_harmless()
    {
        (SimulatedDisk disk, Dictionary<string, (ulong, string)[]> expected) = Make(isClosed: true, segmentBytes: 4 * Page, messages: 200);
        var outcomes = new Dictionary<string, int>(StringComparer.Ordinal);
        foreach ((string name, SimulatedFile file) in disk.Files)
        {
            for (int at = 0; at < file.Current.Length && !Ended.IsCancellationRequested; at += Page)
            {
                SimulatedDisk damaged = disk.Copy();
                damaged.Files[name].Current.AsSpan(at, Math.Min(Page, file.Current.Length - at)).Clear();
                Check(damaged, expected, $"{name} zeroed at {at}", outcomes);
            }
        }

        Print(outcomes);
    }

    [Fact]
    public void A_damaged_message_refuses_its_stream_and_no_other_one()
    {
        (SimulatedDisk disk, Dictionary<string, (ulong, string)[]> expected) = Make(isClosed: true);
        string closed = disk.Files.Keys.Where(static name => name.EndsWith(".log", StringComparison.Ordinal)).Order(StringComparer.Ordinal).First();
        byte[] content = disk.Files[closed].Current;
        int at = content.AsSpan().IndexOf("a message 3 "u8);
        content[at] ^= 1;

        using var store = StreamStore.Open(disk, StoreExtensions.Small());
        StoredStream stream = store.Find("a")!;

        Assert.Null(store.TryAll(stream));
        Assert.Equal(expected["b"], store.All("b"));
        Assert.Equal(QueueStatus.Damaged, store.Queue(stream, "more"));
        Assert.Equal(QueueStatus.Queued, store.Queue(store.Find("b")!, "more"));
        Assert.Equal((closed, 3UL), (stream.Damage!.File, stream.Damage.Sequence));
        Assert.InRange(at - stream.Damage.Offset, RecordHead.Length, RecordHead.Length + 2);
    }

    [Fact]
    public void A_damaged_stream_is_still_refused_after_a_restart()
    {
        (SimulatedDisk disk, _) = Make(isClosed: true);
        string closed = disk.Files.Keys.Where(static name => name.EndsWith(".log", StringComparison.Ordinal)).Order(StringComparer.Ordinal).First();
        byte[] content = disk.Files[closed].Current;
        content[content.AsSpan().IndexOf("a message 3 "u8)] ^= 1;
        StreamDamage? found;
        using (var store = StreamStore.Open(disk, StoreExtensions.Small()))
        {
            Assert.Null(store.TryAll(store.Find("a")!));
            found = store.Find("a")!.Damage;
        }

        using var again = StreamStore.Open(disk, StoreExtensions.Small());

        Assert.Equal(found, again.Find("a")!.Damage);
    }

    // The store is opened and read completely, and then a second time, as after a restart.
    private void Check(SimulatedDisk disk, Dictionary<string, (ulong, string)[]> expected, string what, Dictionary<string, int> outcomes)
    {
        string first = Outcome(disk, expected, what, wasCut: false);
        string second = Outcome(disk, expected, what + ", second start", wasCut: first == "cut and reported");
        Assert.False(first == "stream refused" && second is "harmless" or "reported", $"{what}: the damage was found only once.");
        outcomes[first] = outcomes.GetValueOrDefault(first) + 1;
    }

    // A consumer can be where it was before a cut, and nowhere else.
    private bool IsBehind(StoredStream? stream, string what)
    {
        string found = stream is not null && stream.Consumers.TryGetValue(Consumer, out StoredConsumer? consumer) ? ConsumerModel.TextOf(consumer.Progress) : "";
        int index = _progress.IndexOf(found);
        Assert.True(index >= 0 || found.Length == 0, $"{what}: the progress of the consumer is '{found}'.");
        return index < _progress.Count - 1;
    }

    private string Outcome(SimulatedDisk disk, Dictionary<string, (ulong, string)[]> expected, string what, bool wasCut)
    {
        StreamStore store;
        try
        {
            store = StreamStore.Open(disk, StoreExtensions.Small());
        }
        catch (StoreException)
        {
            return "store refused";
        }

        using (store)
        {
            bool isRefused = false;
            bool isFewer = false;
            foreach (string name in Names)
            {
                (ulong, string)[]? all = store.Find(name) is { } stream ? store.TryAll(stream) : [];
                isRefused |= all is null;
                isFewer |= name is "a" && all is not null && IsBehind(store.Find(name), what);
                isFewer |= all is not null && all.Length < expected[name].Length;
                Assert.True(all is null || all.SequenceEqual(expected[name].Take(all.Length)), $"{what}: the stream {name} has other messages.");
            }

            bool isReported = !store.Recovery.IsClean;
            Assert.True(!isFewer || wasCut || store.Recovery.CutBytes > 0 || store.Recovery.Damage.Count > 0, $"{what}: messages are missing without a report.");
            return isRefused ? "stream refused" : isFewer ? "cut and reported" : isReported ? "reported" : "harmless";
        }
    }

    private (SimulatedDisk Disk, Dictionary<string, (ulong, string)[]> Expected) Make(bool isClosed, int segmentBytes = 2048, int messages = 24)
    {
        var disk = new SimulatedDisk();
        var store = StreamStore.Open(disk, StoreExtensions.Small(segmentBytes, 512));
        StoredStream a = store.Add("a");
        StoredStream b = store.Add("b");
        for (int i = 1; i <= messages; i++)
        {
            store.Queue(a, $"a message {i} {new string('x', 20)}");
            store.Queue(b, $"b message {i}");
            Handle(store, a, (ulong)i);
            store.Commit();
            _progress.Add(ConsumerModel.TextOf(a.Consumers[Consumer].Progress));
        }

        Dictionary<string, (ulong, string)[]> expected = new(StringComparer.Ordinal) { ["a"] = store.All("a"), ["b"] = store.All("b") };
        if (isClosed)
        {
            store.Dispose();
        }
        else
        {
            disk.EndProcess();
        }

        return (disk, expected);
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

    private void Print(Dictionary<string, int> outcomes)
    {
        foreach ((string outcome, int count) in outcomes)
        {
            output.WriteLine($"{count,7} {outcome}");
        }

        Assert.Contains("stream refused", outcomes);
    }
}
