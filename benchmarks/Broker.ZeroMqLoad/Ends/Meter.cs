using System.Diagnostics;
using System.Globalization;

namespace Broker.ZeroMqLoad.Ends;

/// <summary>Measures time and this process's processor time between two moments.</summary>
internal sealed class Meter
{
    private readonly long _start = Stopwatch.GetTimestamp();
    private readonly TimeSpan _processor = Environment.CpuUsage.TotalTime;
    private readonly long _allocated = GC.GetTotalAllocatedBytes(precise: true);

    private Meter()
    {
    }

    public double Milliseconds => Stopwatch.GetElapsedTime(_start).TotalMilliseconds;

    public static Meter Start()
    {
        Console.WriteLine("measuring");
        return new Meter();
    }

    public void Report(string role, int messages) => Report(role, messages, Stopwatch.GetTimestamp(), Environment.CpuUsage.TotalTime);

    private double Allocated() => GC.GetTotalAllocatedBytes(precise: true) - _allocated;

    /// <summary>Reports the time until a moment in the past.</summary>
    public void Report(string role, int messages, long end, TimeSpan used)
    {
        double seconds = Stopwatch.GetElapsedTime(_start, end).TotalSeconds;
        double processor = (used - _processor).TotalSeconds;
        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{role} messages={messages} seconds={seconds:F3} rate={messages / seconds:F0} cpu_ns={processor * 1e9 / messages:F1} allocated={Allocated() / messages:F1}"));
    }
}
