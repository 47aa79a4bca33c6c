using System.Diagnostics;

namespace Broker.ZeroMq.Tests.Hostility;

internal static class ResidentMemory
{
    /// <summary>The resident memory of the process after a garbage collection.</summary>
    public static long Octets()
    {
        GC.Collect();
        using var process = Process.GetCurrentProcess();
        return process.WorkingSet64;
    }
}
