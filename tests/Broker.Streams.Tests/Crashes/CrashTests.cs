using System.Globalization;

namespace Broker.Streams.Tests.Crashes;

public sealed class CrashTests(ITestOutputHelper output)
{
    private const int CrashesOfOneDisk = 20;

    // All kinds of changes that a store makes to its directory, and all kinds of records.
    private static readonly string[] Kinds =
    [
        "create tmp", "write tmp", "sync tmp", "write log", "sync log", "rename log", "rename idx", "rename closed", "rename broker-store",
        "set length log", "sync directory", "delete log", "delete idx", "delete tmp", "delete closed", "write checkpoint",
        "write of message", "write of rollup", "write of deletion", "write of purge", "write of new limits", "write of stream created", "write of stream deleted",
        "compaction", "compaction: create tmp", "compaction: write tmp", "compaction: sync tmp", "compaction: rename log", "compaction: sync directory",
        "compaction: rename idx",
        "write of consumer created", "write of consumer put", "write of consumer changed", "write of consumer deleted",
    ];

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    // BROKER_STORE_CRASHES=1000000 for the long form.
    private static int Crashes => int.Parse(Environment.GetEnvironmentVariable("BROKER_STORE_CRASHES") ?? "30000", CultureInfo.InvariantCulture);

    [Fact]
    public void After_a_crash_at_any_change_of_the_disk_everything_acknowledged_is_there()
    {
        var crashes = new Dictionary<string, long>(StringComparer.Ordinal);
        int seed = Seed.Next();
        for (int count = 0; count < Crashes && !Ended.IsCancellationRequested; seed++)
        {
            try
            {
                count += new CrashRun(seed, crashes).Run(CrashesOfOneDisk);
            }
            catch (Exception e)
            {
                throw new InvalidOperationException($"Failed with the seed {seed}.", e);
            }
        }

        foreach (string kind in Kinds.Union(crashes.Keys))
        {
            output.WriteLine($"{crashes.GetValueOrDefault(kind),9} {kind}");
        }

        long least = Math.Max(1, Crashes / 1000);
        Assert.Equal([], Kinds.Where(kind => crashes.GetValueOrDefault(kind) < least));
    }
}
