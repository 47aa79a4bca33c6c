using System.Diagnostics;

namespace Broker.Streams.Tests.Speed;

/// <summary>
/// Prints the appends per second on this machine's disk, with a number of messages in flight. The figures of
/// <c>docs/decisions/033-stream-storage.md</c> come from here:
/// <c>Broker.Streams.Tests -explicit only -method "*Appends_per_second" -showLiveOutput</c>.
/// </summary>
public sealed class AppendRate(ITestOutputHelper output) : IStoreCompletion, IDisposable
{
    private readonly SemaphoreSlim _room = new(0);
    private long _done;

    [Fact(Explicit = true)]
    public void Appends_per_second()
    {
        foreach (int inFlight in (int[])[1, 16, 256, 1024])
        {
            output.WriteLine($"{inFlight,5} in flight, one stream: {Measure(inFlight, 1),10:N0}/s");
        }

        output.WriteLine($" 1024 in flight, 1,000 streams: {Measure(1024, 1000),10:N0}/s");
    }

    public void Dispose() => _room.Dispose();

    void IStoreCompletion.OnStored(long token, ulong sequence, StoreOutcome outcome)
    {
        Assert.Equal(StoreOutcome.Stored, outcome);
        _done++;
        if (token != 0)
        {
            _room.Release((int)token);
        }
    }

    // Half of the messages in flight are queued together, so that one lock serves them as it would for one read of a
    // client.
    private double Measure(int inFlight, int streams)
    {
        string directory = Directory.CreateTempSubdirectory("broker-store-").FullName;
        try
        {
            using var store = StreamStore.Open(new DiskFiles(directory), new StoreOptions());
            for (int i = 0; i < streams; i++)
            {
                store.Create($"stream {i}", new StreamLimits { MaxMessages = 100_000 }, []);
            }

            Wait.Until(() => store.Streams().Length == streams);
            StoredStream[] all = store.Streams();
            byte[] body = new byte[256];
            int batchLength = Math.Max(1, inFlight / 2);
            _room.Release(inFlight / batchLength * batchLength);
            _done = 0;
            var watch = Stopwatch.StartNew();
            long sent = 0;
            while (watch.ElapsedMilliseconds < 3000)
            {
                for (int i = 0; i < batchLength; i++)
                {
                    _room.Wait(TestContext.Current.CancellationToken);
                }

                using StoreBatch batch = store.Begin();
                for (int i = 1; i <= batchLength; i++)
                {
                    Assert.Equal(QueueStatus.Queued, batch.Append(all[sent++ % streams], "orders.new"u8, [], body, this, i == batchLength ? batchLength : 0));
                }
            }

            Wait.Until(() => Volatile.Read(ref _done) == sent);
            while (_room.Wait(0, TestContext.Current.CancellationToken))
            {
            }

            return sent / watch.Elapsed.TotalSeconds;
        }
        finally
        {
            Directory.Delete(directory, recursive: true);
        }
    }
}
