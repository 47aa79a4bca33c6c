using System.Text;

namespace Broker.Streams.Tests.Store;

public sealed class DeletedEntryTests
{
    private static readonly string[] Subjects = ["a.1", "a.2", "a.3", "b.1", "b.2"];

    [Fact]
    public void A_key_that_is_never_put_again_does_not_keep_the_entries_of_other_keys()
    {
        using StreamStore store = Open();
        StoredStream stream = store.Add("bucket", new StreamLimits { MaxPerSubject = 1 });
        store.Queue(stream, "kept", "kept");
        for (int i = 0; i < 10_000; i++)
        {
            store.Queue(stream, "value", "changed");
            if (i % 10 == 0)
            {
                store.Commit();
            }
        }

        store.Commit();

        Assert.InRange(stream.Entries.Count, 2, 200);
        Assert.Equal([(1, "kept kept"), (10_001, "changed value")], store.All("bucket"));
        Assert.Equal(9_999, store.Summarize(stream, withDeleted: true).Deleted!.Count);
    }

    [Theory]
    [InlineData(0, 1)]
    [InlineData(0, 2)]
    [InlineData(3, 3)]
    [InlineData(20, 4)]
    public void Deletions_leave_the_messages_that_a_simple_list_has(int maxPerSubject, int seed)
    {
        using StreamStore store = Open();
        StoredStream stream = store.Add("orders", new StreamLimits { MaxPerSubject = maxPerSubject });
        var random = new Random(seed);
        var expected = new List<(ulong Sequence, string Subject)>();
        for (int step = 0; step < 3_000; step++)
        {
            Change(store, stream, random, expected, maxPerSubject);
            if (step % 100 == 99)
            {
                Check(store, stream, expected);
            }

            Assert.True(stream.Entries.Count <= (2 * expected.Count) + 130, $"{stream.Entries.Count} entries of {expected.Count} messages");
        }

        Check(store, stream, expected);
    }

    private static void Change(StreamStore store, StoredStream stream, Random random, List<(ulong Sequence, string Subject)> expected, int maxPerSubject)
    {
        int choice = random.Next(100);
        if (choice < 60 || expected.Count == 0)
        {
            string subject = Subjects[random.Next(Subjects.Length)];
            store.Queue(stream, "body", subject);
            store.Commit();
            expected.Add((stream.Last, subject));
            Limit(expected, subject, maxPerSubject);
        }
        else if (choice < 99)
        {
            // Mostly in the middle, so that the first message stays.
            ulong sequence = expected[random.Next(expected.Count)].Sequence;
            store.Delete(stream, sequence);
            expected.RemoveAll(message => message.Sequence == sequence);
        }
        else
        {
            string filter = random.Next(2) == 0 ? "a.*" : "b.2";
            using (StoreBatch batch = store.Begin())
            {
                Assert.Equal(QueueStatus.Queued, batch.PurgeSubjects(stream, Encoding.UTF8.GetBytes(filter), stream.Last, keep: 1, completion: null, token: 0));
            }

            store.Commit();
            (ulong Sequence, string Subject)[] matching = [.. expected.Where(message => message.Sequence < stream.Last && (filter is "b.2" ? message.Subject is "b.2" : message.Subject[0] == 'a'))];
            expected.RemoveAll(message => matching.SkipLast(1).Contains(message));
        }
    }

    private static void Limit(List<(ulong Sequence, string Subject)> messages, string subject, int most)
    {
        (ulong Sequence, string Subject)[] same = [.. messages.Where(message => message.Subject == subject)];
        if (most > 0 && same.Length > most)
        {
            messages.Remove(same[0]);
        }
    }

    private static void Check(StreamStore store, StoredStream stream, List<(ulong Sequence, string Subject)> expected)
    {
        Assert.Equal(expected.Select(static message => (message.Sequence, message.Subject + " body")), store.All(stream.Name));
        Assert.Equal(expected.Count, stream.Messages);
        foreach (string subject in Subjects)
        {
            (ulong Sequence, string Subject)[] same = [.. expected.Where(message => message.Subject == subject)];
            SubjectState? state = stream.Subjects.Find(Encoding.UTF8.GetBytes(subject));
            Assert.Equal((same.Length, same.FirstOrDefault().Sequence, same.LastOrDefault().Sequence), (state?.Count ?? 0, state?.First ?? 0, state?.Last ?? 0));
            Assert.Equal(same.Select(static message => message.Sequence), Chain(stream, subject));
        }
    }

    // The messages of a subject, each found with the subject as the filter.
    private static IEnumerable<ulong> Chain(StoredStream stream, string subject)
    {
        for (ulong next = 0; stream.TryFindNext(next, Encoding.UTF8.GetBytes(subject), out MessageEntry entry); next = entry.Sequence + 1)
        {
            yield return entry.Sequence;
        }
    }

    private static StreamStore Open() => StreamStore.Open(new MemoryFiles(), StoreExtensions.Small(1024 * 1024, 256 * 1024));
}
