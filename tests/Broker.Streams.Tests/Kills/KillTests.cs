using System.Globalization;

namespace Broker.Streams.Tests.Kills;

/// <summary>Kills a process that appends, deletes and purges. What it had acknowledged must be there.</summary>
public sealed class KillTests(ITestOutputHelper output)
{
    private const string DirectoryVariable = "BROKER_STORE_CHILD";
    private const int AcksBeforeKill = 200;

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    // BROKER_STORE_KILLS=200 for the long form.
    private static int Kills => int.Parse(Environment.GetEnvironmentVariable("BROKER_STORE_KILLS") ?? "10", CultureInfo.InvariantCulture);

    [Fact]
    public async Task After_each_kill_everything_acknowledged_is_there_once_and_in_order()
    {
        string directory = Directory.CreateTempSubdirectory("broker-store-").FullName;
        try
        {
            string acks = directory + ".acks";
            for (int i = 0; i < Kills; i++)
            {
                long before = File.Exists(acks) ? new FileInfo(acks).Length : 0;
                await using (var child = PeerProcess.Start(
                    "appender", "dotnet", (DirectoryVariable, directory),
                    [typeof(KillTests).Assembly.Location, "-explicit", "only", "-method", $"{typeof(KillTests).FullName}.{nameof(Appends_until_it_is_killed)}"]))
                {
                    long enough = before + (AcksBeforeKill * 17) + Random.Shared.Next(20_000);
                    await Wait.UntilAsync(() => child.HasExited || (File.Exists(acks) && new FileInfo(acks).Length >= enough), "acknowledgements");
                    Assert.False(child.HasExited, "The appender has ended.");
                    await child.SignalAsync("KILL");
                    await child.WaitForExitAsync();
                }

                Check(directory, acks);
            }

            output.WriteLine($"{Kills} kills, {AckLines.Read(acks).Count(static line => line.IsDone)} acknowledgements");
            File.Delete(acks);
        }
        finally
        {
            Directory.Delete(directory, recursive: true);
        }
    }

    // The child. It writes a line for each acknowledgement, which the kernel keeps when the process is killed.
    [Fact(Explicit = true)]
    public async Task Appends_until_it_is_killed()
    {
        string directory = Environment.GetEnvironmentVariable(DirectoryVariable) ?? "";
        Assert.SkipWhen(directory.Length == 0, $"{DirectoryVariable} names no directory.");
        using var lines = new AckLines(directory + ".acks");
        using var store = StreamStore.Open(new DiskFiles(directory), Options());
        store.Create("orders", default, []);
        await Wait.UntilAsync(() => store.Find("orders") is not null);
        StoredStream stream = store.Find("orders")!;
        var random = new Random();
        while (!Ended.IsCancellationRequested)
        {
            using (StoreBatch batch = store.Begin())
            {
                for (int i = random.Next(1, 30); i > 0; i--)
                {
                    int size = random.Next(1, 2000);
                    batch.Append(stream, "s"u8, [], BodyOf(stream.LastAssigned + 1, size), lines, AckLines.Append + size);
                }

                if (random.Next(10) == 0 && stream.Last > 10)
                {
                    ulong victim = stream.Last - (ulong)random.Next(10);
                    lines.Begin(AckLines.Delete, victim);
                    batch.Delete(stream, victim, lines, AckLines.Delete);
                }

                if (random.Next(100) == 0 && stream.Last > 200)
                {
                    lines.Begin(AckLines.Purge, stream.Last - 100);
                    batch.Purge(stream, stream.Last - 100, lines, AckLines.Purge);
                }
            }

            if (random.Next(3) == 0)
            {
                Thread.Yield();
            }
        }
    }

    private static byte[] BodyOf(ulong sequence, int size)
    {
        byte[] body = new byte[size];
        new Random((int)sequence).NextBytes(body);
        return body;
    }

    private static StoreOptions Options() => new() { SegmentBytes = 512 * 1024, MaxPendingBytes = 64 * 1024 };

    private static void Check(string directory, string acks)
    {
        using var store = StreamStore.Open(new DiskFiles(directory), Options());
        Assert.Empty(store.Recovery.Damage);
        Assert.Empty(store.Recovery.Notices);
        StoredStream stream = store.Find("orders")!;
        var sizes = new Dictionary<ulong, int>();
        var maybeDeleted = new HashSet<ulong>();
        var deleted = new HashSet<ulong>();
        (ulong maybePurged, ulong purged) = (0, 0);
        foreach ((long token, ulong sequence, bool isDone) in AckLines.Read(acks))
        {
            switch (token)
            {
                case AckLines.Delete:
                    (isDone ? deleted : maybeDeleted).Add(sequence);
                    break;
                case AckLines.Purge:
                    maybePurged = Math.Max(maybePurged, sequence);
                    purged = isDone ? Math.Max(purged, sequence) : purged;
                    break;
                default:
                    Assert.True(sizes.TryAdd(sequence, (int)(token - AckLines.Append)), $"The sequence {sequence} was used twice.");
                    break;
            }
        }

        var buffer = new MessageBuffer();
        var found = new HashSet<ulong>();
        for (ulong next = 0; store.ReadNext(stream, next, buffer) == ReadStatus.Found; next = buffer.Sequence + 1)
        {
            found.Add(buffer.Sequence);
            Assert.True(buffer.Body.SequenceEqual(BodyOf(buffer.Sequence, buffer.Body.Length)), $"The message {buffer.Sequence} is another one.");
            Assert.False(deleted.Contains(buffer.Sequence) || buffer.Sequence < purged, $"The message {buffer.Sequence} was deleted.");
            Assert.True(!sizes.TryGetValue(buffer.Sequence, out int size) || size == buffer.Body.Length, $"The message {buffer.Sequence} has another length.");
        }

        Assert.Null(stream.Damage);
        Assert.DoesNotContain(sizes.Keys, sequence => !found.Contains(sequence) && !maybeDeleted.Contains(sequence) && sequence >= maybePurged);
    }
}
