using Broker.Cli.Logging;

namespace Broker.Cli.Tests.Logging;

public sealed class LogLineWriterTests
{
    [Fact]
    public void A_stalled_output_loses_lines_and_counts_them_but_never_waits()
    {
        using var stall = new ManualResetEventSlim();
        var written = new List<string>();
        using (var writer = new LogLineWriter(line =>
        {
            stall.Wait(TestContext.Current.CancellationToken);
            written.Add(line);
        }))
        {
            for (var i = 0; i < 10_000; i++)
                writer.Add("line");
            stall.Set();
        }

        // What fits into the queue is written, and one line tells of the others; one more may have been under way.
        var kept = written.Count(line => line == "line");
        Assert.InRange(kept, 4096, 4097);
        Assert.Contains($"{10_000 - kept} log lines were not written: they came faster than they could be", written);
    }

    [Fact]
    public void A_broken_output_ends_the_log_and_not_the_process()
    {
        using var writer = new LogLineWriter(static _ => throw new IOException("broken pipe"));
        for (var i = 0; i < 100; i++)
            writer.Add("line");
    }
}
