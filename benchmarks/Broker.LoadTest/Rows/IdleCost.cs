using System.Diagnostics;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Rows;

/// <summary>Processor time of a server that has nothing to do.</summary>
internal sealed record IdleCost(double CpuSeconds, double Seconds)
{
    public double Percent => CpuSeconds / Seconds * 100;

    /// <summary>Lets it settle first: what it was doing is not what it does when idle.</summary>
    public static IdleCost Of(Target target, TimeSpan settling, TimeSpan idling)
    {
        Thread.Sleep(settling);
        target.Cpu.Start();
        long from = Stopwatch.GetTimestamp();
        Thread.Sleep(idling);
        return new IdleCost(target.Cpu.Stop(), Stopwatch.GetElapsedTime(from).TotalSeconds);
    }
}
