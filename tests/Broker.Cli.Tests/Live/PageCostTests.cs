using System.Diagnostics;
using System.Text.Json;

namespace Broker.Cli.Tests.Live;

/// <summary>
/// Measures the processor time of open live pages. Not part of the test run, because other programs disturb it.
/// </summary>
public sealed class PageCostTests
{
    private const int Pages = 100;

    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(60);

    private static CancellationToken Ended => TestContext.Current.CancellationToken;

    [Fact(Explicit = true)]
    public async Task A_hundred_open_pages_of_an_idle_broker_use_less_than_one_percent_of_a_processor()
    {
        using var folder = new TemporaryFolder();
        await using var broker = PeerProcess.Start(
            "broker", Path.Combine(AppContext.BaseDirectory, "broker"), "serve", "-q", "-p", "-1", "-m", "-1", "--zeromq", "--zeromq-publishers",
            "tcp://127.0.0.1:*", "--zeromq-subscribers", "tcp://127.0.0.1:*", "--ports_file_dir", folder.Path);
        string? ports = null;
        await Wait.UntilAsync(() => (ports = Directory.EnumerateFiles(folder.Path, "*.ports").FirstOrDefault()) is not null, "the ports file");
        using var addresses = JsonDocument.Parse(await File.ReadAllTextAsync(ports!, Ended));
        using var http = new HttpClient { BaseAddress = new Uri(addresses.RootElement.GetProperty("monitoring")[0].GetString() + "/"), Timeout = Timeout.InfiniteTimeSpan };
        double without = await MeasureAsync(broker.Id);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Ended);
        long events = 0;
        Task[] pages = [.. Enumerable.Range(0, Pages).Select(_ => ReadAsync(http, () => Interlocked.Increment(ref events), stop.Token))];
        await Wait.UntilAsync(() => Volatile.Read(ref events) >= Pages, "the first event of each page");
        double with = await MeasureAsync(broker.Id);
        TestContext.Current.TestOutputHelper?.WriteLine($"{without:P2} of a processor without pages, {with:P2} with {Pages} pages; {events} events");
        await stop.CancelAsync();
        await Task.WhenAll(pages);
        Assert.True(with < 0.01, $"{with:P2}");
    }

    private static async Task<double> MeasureAsync(int id)
    {
        await Task.Delay(TimeSpan.FromSeconds(15), Ended);
        TimeSpan before = Used(id);
        long since = Stopwatch.GetTimestamp();
        await Task.Delay(Interval, Ended);
        return (Used(id) - before) / Stopwatch.GetElapsedTime(since);
    }

    private static TimeSpan Used(int id)
    {
        using var process = Process.GetProcessById(id);
        return process.TotalProcessorTime;
    }

    private static async Task ReadAsync(HttpClient http, Action count, CancellationToken stop)
    {
        try
        {
            using HttpResponseMessage answer = await http.GetAsync("live", HttpCompletionOption.ResponseHeadersRead, stop);
            using var reader = new StreamReader(await answer.Content.ReadAsStreamAsync(stop));
            while (await reader.ReadLineAsync(stop) is { } line)
            {
                if (line.Length > 0)
                {
                    count();
                }
            }
        }
        catch (OperationCanceledException)
        {
            // The measurement is over.
        }
    }
}
