using System.Globalization;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Soak;

/// <summary>Reads what a server uses.</summary>
internal sealed class SoakProbe(ServerProcess server, string directory) : IDisposable
{
    private const string Heap = "broker_managed_heap_bytes ";

    private readonly CpuMeter _meter = new(server.Process);
    private readonly HttpClient _pages = new() { BaseAddress = new Uri($"http://127.0.0.1:{server.MonitoringPort}") };

    public async Task<SoakSample> ReadAsync(TimeSpan elapsed)
    {
        server.ThrowIfEnded();
        return new SoakSample(
            elapsed.TotalMinutes, DirectoryBytes(), _meter.ReadResidentBytes(), await ReadHeapAsync(), OpenFiles.Count(server), _meter.ReadTotal().TotalSeconds);
    }

    public void Dispose() => _pages.Dispose();

    private async Task<long> ReadHeapAsync()
    {
        string text = await _pages.GetStringAsync("/metrics");
        string? line = text.Split('\n').FirstOrDefault(static line => line.StartsWith(Heap, StringComparison.Ordinal));
        return line is null ? throw new DriverException("/metrics does not have the managed memory.") : (long)double.Parse(line[Heap.Length..], CultureInfo.InvariantCulture);
    }

    private long DirectoryBytes()
    {
        long bytes = 0;
        foreach (FileInfo file in new DirectoryInfo(directory).EnumerateFiles("*", SearchOption.AllDirectories))
        {
            try
            {
                bytes += file.Length;
            }
            catch (FileNotFoundException)
            {
                // The server has just deleted the file.
            }
        }

        return bytes;
    }
}
