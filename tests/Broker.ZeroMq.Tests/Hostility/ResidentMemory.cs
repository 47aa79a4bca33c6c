using System.Diagnostics;

namespace Broker.ZeroMq.Tests.Hostility;

internal static class ResidentMemory
{
    /// <summary>What the process occupies, once garbage is collected.</summary>
    public static long Octets()
    {
        GC.Collect();
        using var process = Process.GetCurrentProcess();
        return process.WorkingSet64;
    }
}
