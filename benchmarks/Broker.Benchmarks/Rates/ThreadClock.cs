using System.Globalization;
using System.Runtime.InteropServices;

namespace Broker.Benchmarks.Rates;

/// <summary>
/// The processor time of a thread, which other threads can read. It is used to subtract the time of a source, a sink or
/// a server in this process from the client's time. It is zero if the system does not report it.
/// </summary>
internal sealed partial class ThreadClock
{
    private readonly string? _path;

    private ThreadClock(string? path) => _path = path;

    /// <summary>Creates the clock of the calling thread.</summary>
    internal static ThreadClock OfThisThread()
        => new(OperatingSystem.IsLinux() ? string.Create(CultureInfo.InvariantCulture, $"/proc/self/task/{GetThreadId()}/schedstat") : null);

    /// <summary>Returns the processor time so far, or zero if the thread has ended.</summary>
    internal TimeSpan Read()
    {
        try
        {
            // The file contains the nanoseconds on a processor, the nanoseconds of waiting for a processor, and the
            // number of time slices.
            return _path is null
                ? TimeSpan.Zero
                : TimeSpan.FromMicroseconds(long.Parse(File.ReadAllText(_path).Split(' ')[0], CultureInfo.InvariantCulture) / 1000.0);
        }
        catch (IOException)
        {
            return TimeSpan.Zero;
        }
    }

    [LibraryImport("libc", EntryPoint = "gettid")]
    private static partial int GetThreadId();
}
