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
            for (int i = 0; i < 10_000; i++)
            {
                writer.Add("line");
            }

            stall.Set();
        }

        // The queued lines are written, and one line reports the lost ones. One more line may have left the queue
        // before.
        int kept = written.Count(line => line == "line");
        Assert.InRange(kept, 4096, 4097);
        Assert.Contains($"{10_000 - kept} log lines were lost, because they came faster than they could be written", written);
    }

    [Fact]
    public void A_broken_output_ends_the_log_and_not_the_process()
    {
        using var writer = new LogLineWriter(static _ => throw new IOException("broken pipe"));
        for (int i = 0; i < 100; i++)
        {
            writer.Add("line");
        }
    }

    [Fact]
    public void An_output_that_comes_back_is_told_how_much_it_missed_and_why()
    {
        var written = new List<string>();
        int calls = 0;
        using (var writer = new LogLineWriter(
            line =>
            {
                if (++calls <= 3)
                {
                    throw new IOException("no space left");
                }

                written.Add(line);
            },
            static text => "notice: " + text))
        {
            foreach (string line in (string[])["one", "two", "three", "four", "five"])
            {
                writer.Add(line);
            }
        }

        Assert.Equal(["notice: 3 lines were lost, because this output could not be written: no space left", "four", "five"], written);
    }

    [Fact]
    public void What_is_missing_at_the_end_is_told_if_it_can_be()
    {
        var written = new List<string>();
        int calls = 0;
        using (var writer = new LogLineWriter(line =>
        {
            if (++calls == 1)
            {
                throw new UnauthorizedAccessException("not now");
            }

            written.Add(line);
        }))
        {
            writer.Add("one");
        }

        Assert.Equal(["1 line was lost, because this output could not be written: not now"], written);
    }

    [Fact]
    public async Task A_stalled_output_does_not_keep_the_end_waiting()
    {
        using var stall = new ManualResetEventSlim();
        try
        {
            var writer = new LogLineWriter(_ => stall.Wait(CancellationToken.None));
            writer.Add("one");
            writer.Add("two");

            await Task.Run(writer.Dispose, TestContext.Current.CancellationToken)
                .WaitAsync(Wait.Limit, TestContext.Current.CancellationToken);
        }
        finally
        {
            stall.Set();
        }
    }
}
