using System.Globalization;
using System.Text;
using Broker.Streams.Tests.Simulation;

namespace Broker.Streams.Tests.Store;

public sealed class CompactionTests
{
    private const int SegmentBytes = 4096;
    private const int Rounds = 4000;

    private SimulatedDisk _disk = new();
    private readonly SetClock _clock = new();

    // Segments that were replaced once keep some bytes each: what they say of streams and consumers.
    private long Bytes => _disk.Files.Where(file => !IsCompacted(file.Key)).Sum(static file => file.Value.Current.LongLength);

    // BROKER_STORE_COMPACTIONS=1000 for the long form.
    private static int Histories => int.Parse(Environment.GetEnvironmentVariable("BROKER_STORE_COMPACTIONS") ?? "6", CultureInfo.InvariantCulture);

    private int Compacted => _disk.Files.Keys.Count(IsCompacted);

    [Fact]
    public void A_message_that_stays_does_not_keep_the_bytes_of_messages_that_were_deleted_after_it()
    {
        using (StreamStore store = Open())
        {
            StoredStream settings = store.Add("settings");
            StoredStream[] logs = [.. Enumerable.Range(0, 3).Select(i => store.Add($"log{i}", new StreamLimits { MaxMessages = 10 }))];
            store.Append(settings, "stays");
            for (int i = 0; i < Rounds; i++)
            {
                store.Append(logs[i % 3], $"line {i}");
            }
        }

        CheckSpace();
        (ulong, string)[] LinesOf(int log) => [.. Enumerable.Range(0, Rounds).Where(i => i % 3 == log).Select(static i => ((ulong)(i / 3) + 1, $"s line {i}")).TakeLast(10)];
        Check(["settings", "log0", "log1", "log2"], [[(1, "s stays")], LinesOf(0), LinesOf(1), LinesOf(2)]);
    }

    [Fact]
    public void A_key_that_stays_does_not_keep_the_earlier_values_of_others()
    {
        using (StreamStore store = Open())
        {
            StoredStream bucket = store.Add("bucket", new StreamLimits { MaxPerSubject = 2 });
            store.Queue(bucket, "stays", "kept");
            for (int i = 0; i < Rounds; i++)
            {
                store.Queue(bucket, $"value {i}", $"key.{i % 3}");
                store.Commit();
            }
        }

        CheckSpace();
        Check(["bucket"], [[(1, "kept stays"), .. Enumerable.Range(Rounds - 6, 6).Select(static i => ((ulong)i + 2, $"key.{i % 3} value {i}"))]]);
    }

    [Theory]
    [InlineData("purge")]
    [InlineData("purge of a subject")]
    [InlineData("purge of a subject that keeps some")]
    [InlineData("deletion")]
    [InlineData("rollup")]
    [InlineData("deleted stream")]
    [InlineData("time to live")]
    public void A_message_that_stays_does_not_keep_what_was_deleted_by_a(string how)
    {
        using (StreamStore store = Open())
        {
            StoredStream stays = store.Add("stays");
            StoredStream stream = store.Add("stream", new StreamLimits { MaxAge = TimeSpan.FromHours(1) });
            store.Append(stays, "stays");
            for (int i = 0; i < Rounds; i++)
            {
                if (how == "rollup")
                {
                    Queue(store, batch => batch.AppendAndPurge(stream, "s"u8, [], Encoding.UTF8.GetBytes($"value {i}"), "s"u8, null, 0));
                    continue;
                }

                _clock.Now += TimeSpan.FromMinutes(10);
                Queue(store, batch => batch.Append(stream, "s"u8, "NATS/1.0\r\nNats-TTL: 1h\r\n\r\n"u8, new byte[20], flags: MessageFlags.HasTimeToLive));
                if (how == "time to live")
                {
                    store.Expire();
                    store.Commit();
                }
                else if (i % 10 == 9)
                {
                    stream = DeleteAll(store, stream, how);
                }
            }
        }

        CheckSpace();
        using StreamStore again = Open();
        Assert.Equal([(1UL, "s stays")], again.All("stays"));
        Assert.InRange(again.Find("stream")!.Messages, 0, 7);
    }

    [Fact]
    public void A_message_whose_successor_was_deleted_does_not_return_and_take_the_place_of_another()
    {
        using (StreamStore store = Open())
        {
            StoredStream stream = store.Add("stream", new StreamLimits { MaxMessages = 2, MaxPerSubject = 1 });
            StoredStream log = store.Add("log", new StreamLimits { MaxMessages = 1 });
            AddLive(store);
            store.Queue(stream, "stays", "a");
            store.Queue(stream, "first", "b");
            Fill(store, log, 50);
            store.Queue(stream, "second", "b");
            store.Commit();
            store.Delete(stream, 3);
            store.Queue(stream, "stays", "c");
            Fill(store, log, 2000);
        }

        Assert.InRange(Compacted, 5, int.MaxValue);
        Check(["stream"], [[(1, "a stays"), (4, "c stays")]]);
    }

    [Fact]
    public void A_message_whose_successors_were_deleted_does_not_return()
    {
        using (StreamStore store = Open())
        {
            StoredStream stream = store.Add("stream", new StreamLimits { MaxPerSubject = 1 });
            StoredStream log = store.Add("log", new StreamLimits { MaxMessages = 1 });
            AddLive(store);
            store.Queue(stream, "stays", "a");
            store.Queue(stream, "first", "b");
            Fill(store, log, 50);
            store.Queue(stream, "second", "b");
            Fill(store, log, 50);
            store.Delete(stream, 3);
            Fill(store, log, 2000);
        }

        Assert.InRange(Compacted, 5, int.MaxValue);
        Check(["stream"], [[(1, "a stays")]]);
    }

    [Fact]
    public void A_message_that_a_purge_of_several_subjects_has_deleted_does_not_return()
    {
        using (StreamStore store = Open())
        {
            StoredStream stream = store.Add("stream");
            StoredStream log = store.Add("log", new StreamLimits { MaxMessages = 1 });
            AddLive(store);
            store.Queue(stream, "stays", "a");
            store.Queue(stream, "first", "s.1");
            Fill(store, log, 50);
            store.Queue(stream, "second", "s.2");
            Fill(store, log, 50);
            Queue(store, batch => batch.PurgeSubjects(stream, "s.*"u8, 4, 1, null, 0));
            store.Delete(stream, 3);
            Fill(store, log, 2000);
        }

        Check(["stream"], [[(1, "a stays")]]);
    }

    [Fact]
    public void A_subject_with_a_wildcard_in_its_name_does_not_delete_others()
    {
        using (StreamStore store = Open())
        {
            StoredStream stream = store.Add("stream", new StreamLimits { MaxPerSubject = 1 });
            StoredStream log = store.Add("log", new StreamLimits { MaxMessages = 1 });
            store.Queue(stream, "stays", "s.a");
            for (int i = 0; i < 10; i++)
            {
                store.Queue(stream, $"value {i}", "s.*");
                Fill(store, log, 100);
            }
        }

        Check(["stream"], [[(1, "s.a stays"), (11, "s.* value 9")]]);
    }

    [Fact]
    public void A_program_that_does_not_know_replaced_segments_refuses_them()
    {
        A_key_that_stays_does_not_keep_the_earlier_values_of_others();

        byte[] file = _disk.Files[_disk.Files.Keys.First(IsCompacted)].Current;

        Assert.Equal(SegmentHeader.CompactedVersion, BitConverter.ToUInt32(file.AsSpan(4)));
        Assert.NotEqual(SegmentHeader.Version, SegmentHeader.CompactedVersion);
    }

    [Theory]
    [InlineData("write tmp")]
    [InlineData("sync tmp")]
    [InlineData("rename log")]
    [InlineData("rename idx")]
    public void A_full_disk_loses_nothing(string operation)
    {
        using (StreamStore store = Open())
        {
            StoredStream bucket = store.Add("bucket", new StreamLimits { MaxPerSubject = 1 });
            StoredStream log = store.Add("log", new StreamLimits { MaxMessages = 1 });
            store.Queue(bucket, "stays", "kept");
            Fill(store, log, 300);

            // Each second compaction fails; new segments and their indexes do not.
            int count = 0;
            string before = "";
            _disk.Fails = what =>
            {
                bool isOfCompaction = _disk.IsInReplacement && what == operation && before != what && ++count % 2 == 1;
                before = what;
                return isOfCompaction;
            };
            Fill(store, log, 2000);
            _disk.Fails = static _ => false;
            Assert.Null(store.Failure);
            Assert.InRange(count, 4, int.MaxValue);
            Assert.Equal([(1UL, "kept stays")], store.All("bucket"));
            Fill(store, log, 500);
            Assert.Equal([(1UL, "kept stays")], store.All("bucket"));
        }

        Check(["bucket", "log"], [[(1, "kept stays")], [(2800, "s line")]]);
    }

    [Fact]
    public void The_index_of_a_segment_that_was_replaced_is_not_used()
    {
        using (StreamStore store = Open())
        {
            StoredStream bucket = store.Add("bucket", new StreamLimits { MaxPerSubject = 1 });
            StoredStream log = store.Add("log", new StreamLimits { MaxMessages = 1 });
            store.Queue(bucket, "stays", "kept");
            _disk.Fails = what => _disk.IsInReplacement && what == "rename idx";
            Fill(store, log, 2000);
            _disk.Fails = static _ => false;
        }

        Assert.Contains(_disk.Files.Keys, name => StoreFileNames.TryParse(name, StoreFileNames.IndexEnd, out ulong number) && !HasSaltOfIndex(number));
        Check(["bucket", "log"], [[(1, "kept stays")], [(2000, "s line")]]);
        Assert.DoesNotContain(_disk.Files.Keys, name => StoreFileNames.TryParse(name, StoreFileNames.IndexEnd, out ulong number) && !HasSaltOfIndex(number));
    }

    [Fact]
    public void Random_changes_have_the_result_of_a_model_before_and_after_a_start()
    {
        int seed = Seed.Next();
        for (int count = 0; count < Histories && !TestContext.Current.CancellationToken.IsCancellationRequested; count++, seed++)
        {
            try
            {
                _disk = new SimulatedDisk();
                ChangeAndCompare(seed);
            }
            catch (Exception e)
            {
                throw new InvalidOperationException($"Failed with the seed {seed}.", e);
            }
        }
    }

    [Fact]
    public void A_read_that_has_begun_before_its_segment_was_replaced_finds_its_message()
    {
        using StreamStore store = Open();
        StoredStream settings = store.Add("settings");
        StoredStream log = store.Add("log", new StreamLimits { MaxMessages = 1 });
        store.Append(settings, "stays");
        MessageEntry before = store.FindOrDeleted(settings, 1);
        Fill(store, log, 2000);

        MessageEntry after = store.FindOrDeleted(settings, 1);
        Assert.NotSame(before.Segment, after.Segment);
        Assert.Equal(ReadStatus.Found, store.Read(settings, before, new byte[before.Size]));
        Assert.Equal(ReadStatus.Found, store.Read(settings, after, new byte[after.Size]));
    }

    private void ChangeAndCompare(int seed)
    {
        StreamLimits[] limits =
        [
            default, new StreamLimits { MaxPerSubject = 1 }, new StreamLimits { MaxMessages = 20 }, default,
            new StreamLimits { MaxMessages = 6, MaxPerSubject = 2 }, new StreamLimits { MaxMessages = 3 },
        ];
        CompactionModel[] models = [.. limits.Select(static (limit, i) => new CompactionModel($"stream{i}", limit))];
        var random = new Random(seed);
        int compacted = 0;
        for (int life = 0; life < 12; life++)
        {
            // Some segments stay as they are, with messages that later ones have displaced.
            bool hasLive = random.Next(2) == 0;
            using (StreamStore store = Open())
            {
                StoredStream live = store.Find("live") ?? store.Add("live");
                foreach (CompactionModel model in models.Where(model => store.Find(model.Name) is null))
                {
                    store.Add(model.Name, model.Limits);
                }

                for (int step = 0; step < 250; step++)
                {
                    // The last stream is a log: most of what is written.
                    CompactionModel model = models[random.Next(2) == 0 ? random.Next(models.Length) : models.Length - 1];
                    model.Change(store, random, canCount: seed % 3 == 0);
                    if (hasLive && step % 3 == 0)
                    {
                        store.Append(live, new string('x', 50));
                    }
                }

                Assert.Equal(models.Select(static model => model.Messages), models.Select(model => store.All(model.Name)));
            }

            compacted += Compacted;
            Check([.. models.Select(static model => model.Name)], [.. models.Select(static model => model.Messages)]);
            using StreamStore again = Open();
            Assert.All(models, model => Assert.InRange(again.Find(model.Name)!.Last, model.Last, ulong.MaxValue));
        }

        Assert.InRange(compacted, 1, int.MaxValue);
    }

    private static StoredStream DeleteAll(StreamStore store, StoredStream stream, string how)
    {
        ulong next = stream.Last + 1;
        switch (how)
        {
            case "purge":
                Queue(store, batch => batch.Purge(stream, next));
                return stream;
            case "purge of a subject":
                Queue(store, batch => batch.PurgeSubjects(stream, "s"u8, next, 0, null, 0));
                return stream;
            case "purge of a subject that keeps some":
                Queue(store, batch => batch.PurgeSubjects(stream, "s"u8, next, 1, null, 0));
                return stream;
            case "deletion":
                for (ulong sequence = next - 10; sequence < next; sequence++)
                {
                    Queue(store, batch => batch.Delete(stream, sequence));
                }

                return stream;
            default:
                Queue(store, batch => batch.DeleteStream(stream));
                return store.Add("stream");
        }
    }

    // A segment with so many live messages stays as it is.
    private static void AddLive(StreamStore store)
        => store.Append(store.Add("live"), [.. Enumerable.Repeat(new string('x', 100), 12)]);

    private static void Fill(StreamStore store, StoredStream log, int count)
    {
        for (int i = 0; i < count; i++)
        {
            store.Append(log, "line");
        }
    }

    private delegate QueueStatus Queued(StoreBatch batch);

    private static void Queue(StreamStore store, Queued queue)
    {
        using (StoreBatch batch = store.Begin())
        {
            Assert.Equal(QueueStatus.Queued, queue(batch));
        }

        store.Commit();
    }

    private bool HasSaltOfIndex(ulong number)
        => SegmentHeader.TryRead(_disk.Files[StoreFileNames.Segment(number)].Current, out SegmentHeader header, out _)
            && SegmentIndex.TryRead(_disk.Files[StoreFileNames.Index(number)].Current, number, out _, out uint salt) && salt == header.Salt;

    private bool IsCompacted(string name)
    {
        bool isSegment = StoreFileNames.TryParse(name, StoreFileNames.SegmentEnd, out ulong number) || StoreFileNames.TryParse(name, StoreFileNames.IndexEnd, out number);
        return isSegment && SegmentHeader.TryRead(_disk.Files[StoreFileNames.Segment(number)].Current, out SegmentHeader header, out _) && header.IsCompacted;
    }

    // Some 100 segments were written. A replaced one has less than half of a segment, and one of 64 MiB has no more.
    private void CheckSpace()
    {
        Assert.InRange(Compacted, 2, int.MaxValue);
        Assert.InRange(Bytes, SegmentBytes, 16 * SegmentBytes);
        Assert.All(_disk.Files.Where(file => IsCompacted(file.Key)), static file => Assert.InRange(file.Value.Current.Length, 0, SegmentBytes / 2));
    }

    private void Check(string[] names, (ulong Sequence, string Text)[][] expected)
    {
        Assert.Empty(StoreCheck.Run(_disk, "account").Findings);
        using StreamStore store = Open();
        Assert.True(store.Recovery.IsClean);
        Assert.Equal(expected, names.Select(store.All));
    }

    private StreamStore Open()
        => StreamStore.Open(_disk, new StoreOptions { SegmentBytes = SegmentBytes, MaxPendingBytes = 1024, HasThread = false, Clock = _clock });
}
