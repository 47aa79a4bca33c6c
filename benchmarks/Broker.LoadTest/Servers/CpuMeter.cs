using System.Diagnostics;
using System.Globalization;

namespace Broker.LoadTest.Servers;

/// <summary>
/// Measures the CPU time of a process between two moments. On Linux it adds the scheduler's nanoseconds of all threads:
/// the process totals have steps of 10 ms, which is too coarse for short measurements. They are the fallback, also if a
/// thread has ended meanwhile, because its time is then missing.
/// </summary>
internal sealed class CpuMeter(Process process)
{
    private Dictionary<string, long>? _threads;
    private TimeSpan _total;

    public long ResidentBytes => process.WorkingSet64;

    /// <summary>The current resident memory of the process.</summary>
    public long ReadResidentBytes()
    {
        process.Refresh();
        return process.WorkingSet64;
    }

    /// <summary>The CPU time since the process started.</summary>
    public TimeSpan ReadTotal()
    {
        process.Refresh();
        return process.TotalProcessorTime;
    }

    public void Start()
    {
        process.Refresh();
        _total = process.TotalProcessorTime;
        _threads = ReadThreads();
    }

    /// <summary>The CPU seconds since <see cref="Start"/>.</summary>
    public double Stop()
    {
        Dictionary<string, long>? threads = ReadThreads();
        process.Refresh();
        double coarse = (process.TotalProcessorTime - _total).TotalSeconds;
        if (threads is null || _threads is null || !_threads.Keys.All(threads.ContainsKey))
        {
            return coarse;
        }

        long nanoseconds = threads.Sum(thread => thread.Value - _threads.GetValueOrDefault(thread.Key));
        return nanoseconds / 1e9;
    }

    private Dictionary<string, long>? ReadThreads()
    {
        if (!OperatingSystem.IsLinux())
        {
            return null;
        }

        try
        {
            var threads = new Dictionary<string, long>(StringComparer.Ordinal);
            foreach (string directory in Directory.EnumerateDirectories($"/proc/{process.Id}/task"))
            {
                string text = File.ReadAllText(Path.Combine(directory, "schedstat"));
                threads[directory] = long.Parse(text.AsSpan(0, text.IndexOf(' ', StringComparison.Ordinal)), CultureInfo.InvariantCulture);
            }

            return threads.Values.Any(nanoseconds => nanoseconds > 0) ? threads : null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or FormatException or ArgumentOutOfRangeException)
        {
            // The kernel has no schedstat, or the thread has just ended.
            return null;
        }
    }
}
