using Broker.Transport;

namespace Broker.Streams.Tests.Store;

public sealed class StoreReportsTests
{
    private const int Groups = 5_000;
    private const int Records = 20;

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Each_record_is_reported_once_if_the_stores_on_the_disk_and_in_memory_report_at_the_same_time()
    {
        using var loops = new EventLoopGroup(new EventLoopOptions { Loops = 1 });
        int[] reported = new int[2 * Groups * Records];
        int total = 0;
        var reports = new StoreReports(loops[0], all =>
        {
            foreach (StoreReports.Report report in all)
            {
                reported[report.Token]++;
            }

            Interlocked.Add(ref total, all.Length);
        });

        await Task.WhenAll(Task.Run(() => Report(reports, first: 0), Ended), Task.Run(() => Report(reports, first: Groups * Records), Ended));

        await Wait.UntilAsync(() => Volatile.Read(ref total) >= reported.Length, "all records are reported");
        Assert.All(reported, static count => Assert.Equal(1, count));
    }

    private static void Report(StoreReports reports, int first)
    {
        var group = new GroupBuffer();
        for (int i = 0; i < Groups; i++)
        {
            group.Clear();
            for (int record = 0; record < Records; record++)
            {
                group.Complete(reports, first + (i * Records) + record, 0);
            }

            group.Report(StoreOutcome.Stored);
        }
    }
}
