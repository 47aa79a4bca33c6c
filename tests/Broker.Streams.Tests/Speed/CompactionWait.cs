using System.Diagnostics;

namespace Broker.Streams.Tests.Speed;

/// <summary>
/// Prints how long a group waits for the replacement of a segment on this machine's disk. The figures of
/// <c>docs/decisions/033-stream-storage.md</c> come from here:
/// <c>Broker.Streams.Tests -explicit only -method "*Wait_for_a_replaced_segment" -showLiveOutput</c>.
/// </summary>
public sealed class CompactionWait(ITestOutputHelper output)
{
    private const int Groups = 3000;

    [Theory(Explicit = true)]
    [InlineData(100, 0)]
    [InlineData(100, 20)]
    [InlineData(4096, 0)]
    [InlineData(4096, 20)]
    public void Wait_for_a_replaced_segment(int bytes, int percentLive)
    {
        string directory = Directory.CreateTempSubdirectory("broker-store-").FullName;
        try
        {
            using var store = StreamStore.Open(new DiskFiles(directory), new StoreOptions { HasThread = false });
            store.Create("live", default, []);
            store.Create("log", new StreamLimits { MaxMessages = 100 }, []);
            store.Commit();
            StoredStream live = store.Find("live")!;
            StoredStream log = store.Find("log")!;
            byte[] body = new byte[bytes];
            int perGroup = 200_000 / (bytes + 41);
            var times = new List<TimeSpan>();
            var processor = new List<TimeSpan>();
            for (int group = 0; group < Groups; group++)
            {
                using (StoreBatch batch = store.Begin())
                {
                    for (int i = 0; i < perGroup; i++)
                    {
                        StoredStream stream = i * 100 / perGroup < percentLive || (group == 0 && i == 0) ? live : log;
                        batch.Append(stream, "s"u8, [], body);
                    }
                }

                TimeSpan before = Environment.CpuUsage.TotalTime;
                var watch = Stopwatch.StartNew();
                store.Commit();
                times.Add(watch.Elapsed);
                processor.Add(Environment.CpuUsage.TotalTime - before);
            }

            times.Sort();
            processor.Sort();
            long files = new DirectoryInfo(directory).EnumerateFiles().Sum(static file => file.Length);
            output.WriteLine(
                $"{bytes} B, {percentLive} % live: {files / 1024 / 1024} MiB of {Groups * 200_000L / 1024 / 1024} on the disk; group in the middle {times[Groups / 2].TotalMilliseconds:F1} ms, "
                + $"the longest 12: {TextOf(times)}, and of the processors: {TextOf(processor)}");
        }
        finally
        {
            Directory.Delete(directory, recursive: true);
        }
    }

    private static string TextOf(List<TimeSpan> times)
        => string.Join(' ', times.TakeLast(12).Select(static time => time.TotalMilliseconds.ToString("F0", null))) + " ms";
}
