using System.Globalization;
using Broker.Client;
using Broker.Streams.Tests.Store;

namespace Broker.Streams.Tests.Api;

/// <summary>Readers and consumers while the segments of their messages are replaced.</summary>
public sealed class CompactionReadTests : IDisposable
{
    private const int Kept = 200;
    private const int LinesForEach = 100;
    private const int LeastSegments = 8;

    private readonly string _directory = Directory.CreateTempSubdirectory("broker-store-").FullName;

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    private static StoreOptions Options => new() { SegmentBytes = 64 * 1024, MaxPendingBytes = 16 * 1024 };

    private int Compacted => Directory.EnumerateFiles(_directory, "*" + StoreFileNames.SegmentEnd).Count(static path =>
    {
        using FileStream file = new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        byte[] start = new byte[SegmentHeader.Length];
        return file.Read(start) == start.Length && SegmentHeader.TryRead(start, out SegmentHeader header, out _) && header.IsCompacted;
    });

    public void Dispose() => Directory.Delete(_directory, recursive: true);

    [Fact]
    public async Task Each_read_finds_its_message_while_segments_are_replaced()
    {
        using var store = StreamStore.Open(new DiskFiles(_directory), Options);
        StoredStream settings = await AddAsync(store, "settings", default);
        StoredStream log = await AddAsync(store, "log", new StreamLimits { MaxMessages = 10 });
        await AppendAsync(store, settings, "first");
        int segments = 0;
        var done = new TaskCompletionSource();
        Task<(long Asked, long Found)>[] readers =
        [
            Task.Run(() => Read(store, settings, done.Task, sequence => ReadBySequence(store, settings, sequence))),
            Task.Run(() => Read(store, settings, done.Task, sequence => ReadNext(store, settings, sequence))),
            Task.Run(() => Read(store, settings, done.Task, sequence => ReadEntry(store, settings, sequence))),
        ];
        try
        {
            for (int i = 0; i < 4 * Kept; i++)
            {
                await AppendAsync(store, settings, $"setting {i}");
                for (int line = 0; line < 30; line++)
                {
                    await AppendAsync(store, log, $"line {line}");
                }
            }
        }
        finally
        {
            segments = Compacted;
            done.SetResult();
        }

        foreach ((long asked, long found) in await Task.WhenAll(readers))
        {
            Assert.Equal(asked, found);
            Assert.InRange(asked, 4 * Kept, long.MaxValue);
        }

        Assert.InRange(segments, LeastSegments, int.MaxValue);
        Assert.Null(settings.Damage);
        Assert.Null(store.Failure);
    }

    [Fact]
    public async Task Each_consumer_receives_each_message_once_while_segments_are_replaced()
    {
        await using ApiSite site = await ApiSite.StartAsync(new DiskFiles(_directory), Options);
        await site.CreateAsync("SETTINGS", "\"subjects\":[\"s\"]");
        await site.CreateAsync("LOG", "\"subjects\":[\"l\"],\"max_msgs\":10");
        Task<long>? last = null;
        for (int i = 0; i < Kept; i++)
        {
            await site.PublishAsync("s", i.ToString(CultureInfo.InvariantCulture));
            for (int line = 0; line < 40; line++)
            {
                await site.Connection.PublishAsync("l", new byte[50], cancellationToken: Ended);
            }
        }

        for (int round = 0; round < 20; round++)
        {
            var received = new List<string>();
            string subject = $"out.{round}";
            using Subscription subscription = site.Connection.Subscribe(subject, (in message) =>
            {
                lock (received)
                {
                    received.Add(message.Text);
                }
            });
            await site.Connection.FlushAsync(Ended);
            for (int line = 0; line < LinesForEach; line++)
            {
                await site.Connection.PublishAsync("l", new byte[1000], cancellationToken: Ended);
            }

            string config = $$"""{"stream_name":"SETTINGS","config":{"name":"C{{round}}","ack_policy":"none","deliver_subject":"{{subject}}"} }""";
            Assert.Equal(0, ApiSite.CodeOf(await site.CallAsync($"CONSUMER.CREATE.SETTINGS.C{round}", config)));
            for (int line = 0; line < LinesForEach; line++)
            {
                await site.Connection.PublishAsync("l", new byte[1000], cancellationToken: Ended);
            }

            last = site.PublishAsync("l", "end");
            await Wait.UntilAsync(() =>
            {
                lock (received)
                {
                    return received.Count >= Kept;
                }
            });
            Assert.InRange(await last, 1, long.MaxValue);
            await site.CallAsync($"CONSUMER.DELETE.SETTINGS.C{round}");
            lock (received)
            {
                Assert.Equal(Enumerable.Range(0, Kept).Select(static i => i.ToString(CultureInfo.InvariantCulture)), received);
            }
        }

        Assert.InRange(Compacted, LeastSegments, int.MaxValue);
    }

    // The last pass comes after all writes.
    private static (long Asked, long Found) Read(StreamStore store, StoredStream stream, Task done, Func<ulong, ReadStatus> read)
    {
        (long asked, long found) = (0, 0);
        bool isLast;
        do
        {
            isLast = done.IsCompleted;
            ulong last = store.Summarize(stream).Last;
            for (ulong sequence = 1; sequence <= last; sequence++)
            {
                asked++;
                found += read(sequence) == ReadStatus.Found ? 1 : 0;
            }
        }
        while (!isLast);

        return (asked, found);
    }

    private static ReadStatus ReadBySequence(StreamStore store, StoredStream stream, ulong sequence)
    {
        var buffer = new MessageBuffer();
        ReadStatus status = store.Read(stream, sequence, buffer);
        return status == ReadStatus.Found && buffer.Sequence != sequence ? ReadStatus.Damaged : status;
    }

    private static ReadStatus ReadNext(StreamStore store, StoredStream stream, ulong sequence)
    {
        var buffer = new MessageBuffer();
        ReadStatus status = store.ReadNext(stream, sequence, buffer);
        return status == ReadStatus.Found && buffer.Sequence != sequence ? ReadStatus.Damaged : status;
    }

    // Some time passes between the search of the place and the read, as in a delivery.
    private static ReadStatus ReadEntry(StreamStore store, StoredStream stream, ulong sequence)
    {
        MessageEntry entry = store.FindOrDeleted(stream, sequence);
        Thread.Yield();
        return entry.IsDeleted ? ReadStatus.NotFound : store.Read(stream, entry, new byte[entry.Size]);
    }

    private static async Task<StoredStream> AddAsync(StreamStore store, string name, StreamLimits limits)
    {
        Assert.Equal(QueueStatus.Queued, store.Create(name, limits, []));
        await Wait.UntilAsync(() => store.Find(name) is not null);
        return store.Find(name)!;
    }

    private static async Task AppendAsync(StreamStore store, StoredStream stream, string body)
    {
        QueueStatus status = store.Queue(stream, body);
        if (status == QueueStatus.Full)
        {
            await Wait.UntilAsync(() => (status = store.Queue(stream, body)) != QueueStatus.Full);
        }

        Assert.Equal(QueueStatus.Queued, status);
    }
}
