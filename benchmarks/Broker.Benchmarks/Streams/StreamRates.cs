using System.Diagnostics;
using System.Globalization;
using Broker.Client.Streams;

namespace Broker.Benchmarks.Streams;

/// <summary>
/// Two servers with streams beside each other, driven by this project's client, which is faster than both. The servers
/// alternate in rounds, so that other load of the machine affects both alike.
/// </summary>
internal static class StreamRates
{
    private const int Syncs = 200;

    /// <param name="output">The writer of the table.</param>
    /// <param name="ours">The first server.</param>
    /// <param name="other">The server that it is compared with.</param>
    /// <param name="rounds">The number of rounds.</param>
    /// <param name="scale">The number of messages of a round in hundreds.</param>
    /// <param name="only">A part of the names of the rows that run. Null for all.</param>
    /// <param name="storage">Where the streams store their messages.</param>
    internal static async Task RunAsync(
        TextWriter output, MeasuredServer ours, MeasuredServer other, int rounds, int scale, string? only = null, StorageType storage = StorageType.File)
    {
        await output.WriteLineAsync(string.Create(CultureInfo.InvariantCulture, $"A write of 512 B with a sync, in {Path.GetTempPath()}: {MicrosecondsOfSync():0} µs (median)")).ConfigureAwait(false);
        await output.WriteLineAsync().ConfigureAwait(false);
        await output.WriteLineAsync("| 128 B | first server, per s | second server, per s | ratio | first server, µs of CPU | second server, µs of CPU | ratio | client, µs of CPU |").ConfigureAwait(false);
        await output.WriteLineAsync("|---|---|---|---|---|---|---|---|").ConfigureAwait(false);
        foreach (StreamRow row in new StreamRows(storage).All(scale).Where(row => only is null || row.Name.Contains(only, StringComparison.Ordinal)))
        {
            var first = new List<Cost>();
            var second = new List<Cost>();
            // The first round compiles the code and does not count.
            for (int round = 0; round <= rounds; round++)
            {
                Cost one = await MeasureAsync(row, ours).ConfigureAwait(false);
                Cost two = await MeasureAsync(row, other).ConfigureAwait(false);
                if (round > 0)
                {
                    first.Add(one);
                    second.Add(two);
                }
            }

            await output.WriteLineAsync(Line(row, first, second)).ConfigureAwait(false);
        }
    }

    private static string Line(StreamRow row, List<Cost> first, List<Cost> second)
    {
        double rate = Median(first, static cost => cost.Rate);
        double otherRate = Median(second, static cost => cost.Rate);
        double server = Median(first, static cost => cost.Server);
        double otherServer = Median(second, static cost => cost.Server);
        return string.Create(
            CultureInfo.InvariantCulture,
            $"| {row.Name} | {rate:N0} | {otherRate:N0} | {rate / otherRate:0.00} | {server:0.0} | {otherServer:0.0} | {server / otherServer:0.00} | {Median(first, static cost => cost.Client):0.0} |");
    }

    private static async Task<Cost> MeasureAsync(StreamRow row, MeasuredServer server)
    {
        await row.Prepare(server.Streams, row.Count).ConfigureAwait(false);
        using var own = Process.GetCurrentProcess();
        TimeSpan client = own.TotalProcessorTime;
        TimeSpan processor = server.Processor;
        long started = Stopwatch.GetTimestamp();
        await row.Work(server.Streams, row.Count).ConfigureAwait(false);
        double seconds = Stopwatch.GetElapsedTime(started).TotalSeconds;
        own.Refresh();
        return new Cost(row.Count / seconds, (server.Processor - processor).TotalMicroseconds / row.Count, (own.TotalProcessorTime - client).TotalMicroseconds / row.Count);
    }

    // An acknowledged message costs at least this: a write into a file that has its length already.
    private static double MicrosecondsOfSync()
    {
        string path = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
        using Microsoft.Win32.SafeHandles.SafeFileHandle file = File.OpenHandle(path, FileMode.CreateNew, FileAccess.ReadWrite, options: FileOptions.DeleteOnClose);
        byte[] block = new byte[512];
        RandomAccess.Write(file, new byte[Syncs * block.Length], 0);
        RandomAccess.FlushToDisk(file);
        var times = new List<double>();
        for (int i = 0; i < Syncs; i++)
        {
            long started = Stopwatch.GetTimestamp();
            RandomAccess.Write(file, block, i * block.Length);
            RandomAccess.FlushToDisk(file);
            times.Add(Stopwatch.GetElapsedTime(started).TotalMicroseconds);
        }

        return times.Order().ElementAt(Syncs / 2);
    }

    private static double Median(List<Cost> all, Func<Cost, double> key) => all.Select(key).Order().ElementAt(all.Count / 2);

    /// <param name="Rate">Messages per second.</param>
    /// <param name="Server">Processor time of the server for a message, in microseconds.</param>
    /// <param name="Client">Processor time of this process for a message, in microseconds.</param>
    private readonly record struct Cost(double Rate, double Server, double Client);
}
