using System.Runtime.InteropServices;

namespace Broker.LoadTest.Driver;

/// <summary>
/// Gives a thread real-time priority, so that it runs before all threads of ordinary priority. A thread that measures
/// the time of replies beside hundreds of ready threads would otherwise mainly measure its own wait for a processor.
/// </summary>
internal static partial class Precedence
{
    // Linux: the real-time policy SCHED_FIFO with its lowest priority. Process id 0 is the calling thread.
    private const int CallingThread = 0;
    private const int SchedFifo = 1;
    private const int Least = 1;

    /// <summary>Whether this process may use it: on Linux with root or CAP_SYS_NICE.</summary>
    public static bool IsPermitted()
    {
        bool permitted = false;
        // The test uses a separate thread, because lowering the priority again is not always permitted.
        var trial = new Thread(() => permitted = TryTake()) { IsBackground = true };
        trial.Start();
        trial.Join();
        return permitted;
    }

    /// <summary>
    /// Raises the priority of the calling thread until it ends. Returns false and changes nothing if this is not
    /// permitted.
    /// </summary>
    public static bool TryTake() => OperatingSystem.IsLinux() && SetScheduler(CallingThread, SchedFifo, Least) == 0;

    // A struct sched_param is one int.
    [LibraryImport("libc", EntryPoint = "sched_setscheduler")]
    private static partial int SetScheduler(int thread, int policy, in int priority);
}
