using System.Diagnostics;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows;

/// <summary>The CPU time of an idle server.</summary>
internal sealed record IdleCost(double CpuSeconds, double Seconds)
{
    public double Percent => CpuSeconds / Seconds * 100;

    /// <summary>Waits until the server is idle and measures its CPU time.</summary>
    public static IdleCost Of(Target target, TimeSpan settling, TimeSpan idling)
    {
        Thread.Sleep(settling);
        target.Cpu.Start();
        long from = Stopwatch.GetTimestamp();
        Thread.Sleep(idling);
        return new IdleCost(target.Cpu.Stop(), Stopwatch.GetElapsedTime(from).TotalSeconds);
    }
}
