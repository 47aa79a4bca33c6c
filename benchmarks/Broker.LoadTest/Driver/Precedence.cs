using System.Runtime.InteropServices;

namespace Broker.LoadTest.Driver;

/// <summary>
/// Lets a thread run as soon as it can, ahead of all of ordinary priority. Whoever measures how long an answer takes, beside hundreds of
/// threads that are ready, otherwise measures mostly how long it waits for a processor itself.
/// </summary>
internal static partial class Precedence
{
    // Of Linux: real time, first in first out, at the least of its priorities. The number 0 is the calling thread.
    private const int CallingThread = 0;
    private const int SchedFifo = 1;
    private const int Least = 1;

    /// <summary>Whether this process may: root or CAP_SYS_NICE, on Linux.</summary>
    public static bool IsPermitted()
    {
        bool permitted = false;
        // Of a thread's own: there is no way back that is always permitted.
        var trial = new Thread(() => permitted = TryTake()) { IsBackground = true };
        trial.Start();
        trial.Join();
        return permitted;
    }

    /// <summary>For the calling thread, until it ends. False where it is not permitted, and nothing changes.</summary>
    public static bool TryTake() => OperatingSystem.IsLinux() && SetScheduler(CallingThread, SchedFifo, Least) == 0;

    // A struct sched_param is one int.
    [LibraryImport("libc", EntryPoint = "sched_setscheduler")]
    private static partial int SetScheduler(int thread, int policy, in int priority);
}
