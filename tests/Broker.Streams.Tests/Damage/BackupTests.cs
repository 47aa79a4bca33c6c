using Broker.Streams.Tests.Crashes;
using Broker.Streams.Tests.Store;

namespace Broker.Streams.Tests.Damage;

/// <summary>Backups of stopped stores.</summary>
public sealed class BackupTests : IDisposable
{
    private const string Global = "global";

    private readonly string _folder = Directory.CreateTempSubdirectory("broker-backup-").FullName;

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    private string Data => Path.Combine(_folder, "data");

    private string Backup => Path.Combine(_folder, "backup");

    private string Restored => Path.Combine(_folder, "restored");

    [Fact]
    public void A_restored_stream_has_its_sequences_times_limits_and_consumers()
    {
        Make();
        using (var directory = StreamsDirectory.Open(Data))
        {
            CopiedStreams copied = Assert.Single(directory.Backup(Backup, cancellationToken: Ended));
            Assert.Equal(["a 7", "b 3"], copied.Streams.Select(static stream => $"{stream.Name} {stream.Messages}"));
        }

        StreamsDirectory.Restore(Backup, Restored, cancellationToken: Ended);

        using StreamStore before = Open(Data);
        using StreamStore after = Open(Restored);
        Assert.True(after.Recovery.IsClean);
        foreach (string name in (string[])["a", "b"])
        {
            StoredStream one = before.Find(name)!;
            StoredStream other = after.Find(name)!;
            Assert.Equal(before.All(name), after.All(name));
            Assert.Equal((one.First, one.Last, one.Limits, one.Bytes), (other.First, other.Last, other.Limits, other.Bytes));
            Assert.Equal(one.Configuration, other.Configuration);
            Assert.Equal(TimesOf(one), TimesOf(other));
        }

        StoredConsumer consumer = after.Find("a")!.Consumers["worker"];
        Assert.Equal("c"u8, consumer.Configuration);
        Assert.Equal(ConsumerModel.TextOf(before.Find("a")!.Consumers["worker"].Progress), ConsumerModel.TextOf(consumer.Progress));
        after.Append(after.Find("a")!, "new");
        Assert.Equal(11UL, after.All("a")[^1].Sequence);
    }

    [Fact]
    public void One_stream_is_restored_beside_others()
    {
        Make();
        using (var directory = StreamsDirectory.Open(Data))
        {
            directory.Backup(Backup, stream: "b", cancellationToken: Ended);
        }

        using (StreamStore store = New(Restored))
        {
            store.Append(store.Add("c"), "other");
        }

        CopiedStreams copied = Assert.Single(StreamsDirectory.Restore(Backup, Restored, cancellationToken: Ended));

        Assert.Equal("b", Assert.Single(copied.Streams).Name);
        using StreamStore after = Open(Restored);
        Assert.Equal([(1, "s b 1"), (2, "s b 2"), (3, "s b 3")], after.All("b"));
        Assert.Equal([(1, "s other")], after.All("c"));
        Assert.Null(after.Find("a"));
    }

    [Fact]
    public void A_stream_that_exists_is_not_replaced()
    {
        Make();
        using (var directory = StreamsDirectory.Open(Data))
        {
            directory.Backup(Backup, cancellationToken: Ended);
        }

        using (StreamStore store = New(Restored))
        {
            store.Append(store.Add("b"), "mine");
        }

        StoreException error = Assert.Throws<StoreException>(() => StreamsDirectory.Restore(Backup, Restored, cancellationToken: Ended));

        Assert.Contains("has these streams already: b", error.Message, StringComparison.Ordinal);
        using StreamStore after = Open(Restored);
        Assert.Equal([(1, "s mine")], after.All("b"));
        Assert.Null(after.Find("a"));
    }

    [Fact]
    public void A_backup_does_not_change_the_directory()
    {
        Make();
        byte[][] before = Contents(Data);
        using (var directory = StreamsDirectory.Open(Data))
        {
            directory.Backup(Backup, cancellationToken: Ended);
        }

        Assert.Equal(before, Contents(Data));
    }

    [Fact]
    public void A_backup_into_a_folder_with_files_is_refused()
    {
        Make();
        Directory.CreateDirectory(Backup);
        File.WriteAllText(Path.Combine(Backup, "letter.txt"), "Dear");
        using var directory = StreamsDirectory.Open(Data);

        Assert.Throws<StoreException>(() => directory.Backup(Backup, cancellationToken: Ended));

        Assert.Equal("Dear", File.ReadAllText(Assert.Single(Directory.GetFileSystemEntries(Backup))));
    }

    [Fact]
    public void A_damaged_store_is_not_backed_up()
    {
        Make();
        string log = Directory.GetFiles(Path.Combine(Data, Global), "*.log").Order(StringComparer.Ordinal).First();
        byte[] bytes = File.ReadAllBytes(log);
        bytes[bytes.AsSpan().IndexOf("a 4"u8)] ^= 1;
        File.WriteAllBytes(log, bytes);
        using var directory = StreamsDirectory.Open(Data);

        StoreException error = Assert.Throws<StoreException>(() => directory.Backup(Backup, cancellationToken: Ended));

        Assert.Contains("is damaged", error.Message, StringComparison.Ordinal);
        Assert.False(Directory.Exists(Backup));
    }

    [Fact]
    public void A_backup_with_any_changed_cut_or_missing_file_is_refused_and_nothing_is_created()
    {
        Make();
        using (var directory = StreamsDirectory.Open(Data))
        {
            directory.Backup(Backup, cancellationToken: Ended);
        }

        foreach (string file in Directory.GetFiles(Backup, "*", SearchOption.AllDirectories).Where(static name => Path.GetFileName(name) != "lock"))
        {
            byte[] whole = File.ReadAllBytes(file);
            for (int at = 0; at < whole.Length; at += 1 + (whole.Length / 50))
            {
                byte[] changed = [.. whole];
                changed[at] ^= 0x20;
                Refused(file, changed);
                Refused(file, whole[..at]);
            }

            File.Delete(file);
            Refused(file, content: null);
            File.WriteAllBytes(file, whole);
        }

        StreamsDirectory.Restore(Backup, Restored, cancellationToken: Ended);
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private void Refused(string file, byte[]? content)
    {
        byte[]? whole = File.Exists(file) ? File.ReadAllBytes(file) : null;
        if (content is not null)
        {
            File.WriteAllBytes(file, content);
        }

        Assert.Throws<StoreException>(() => StreamsDirectory.Restore(Backup, Restored, cancellationToken: Ended));
        Assert.False(Directory.Exists(Restored));
        if (whole is not null)
        {
            File.WriteAllBytes(file, whole);
        }
    }

    // The stream "a" has gaps at its start, in the middle and at its end.
    private void Make()
    {
        using StreamStore store = New(Data);
        StoredStream a = store.Add("a", new StreamLimits { MaxMessages = 100 });
        StoredStream b = store.Add("b");
        for (int i = 1; i <= 10; i++)
        {
            store.Append(a, $"a {i}");
        }

        store.Append(b, "b 1", "b 2", "b 3");
        store.Purge(a, 2);
        store.Delete(a, 5);
        store.Delete(a, 10);
        var progress = new ConsumerProgress();
        progress.Deliver(3, 1, 1, isPending: true);
        progress.Deliver(4, 2, 2, isPending: true);
        using (StoreBatch batch = store.Begin())
        {
            Assert.Equal(QueueStatus.Queued, batch.PutConsumer(a, "worker", "c"u8, progress.ToArray()));
        }

        store.Commit();
    }

    private static List<long> TimesOf(StoredStream stream)
    {
        var times = new List<long>();
        for (ulong next = 0; stream.TryFindNext(next, default, out MessageEntry entry); next = entry.Sequence + 1)
        {
            times.Add(entry.Time);
        }

        return times;
    }

    private static StreamStore New(string directory)
    {
        Directory.CreateDirectory(directory);
        return Open(directory);
    }

    private static StreamStore Open(string directory) => StreamStore.Open(new DiskFiles(Path.Combine(directory, Global)), StoreExtensions.Small());

    private static byte[][] Contents(string directory)
        => [.. Directory.GetFiles(directory, "*", SearchOption.AllDirectories).Order(StringComparer.Ordinal).Select(File.ReadAllBytes)];
}
