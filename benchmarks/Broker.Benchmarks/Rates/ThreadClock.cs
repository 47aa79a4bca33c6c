using System.Globalization;
using System.Runtime.InteropServices;

namespace Broker.Benchmarks.Rates;

/// <summary>
/// How long a thread has run on a processor, for others to read: what a source, a sink or a server in this process takes is not the client's.
/// Nothing where the system does not say.
/// </summary>
internal sealed partial class ThreadClock
{
    private readonly string? _path;

    private ThreadClock(string? path) => _path = path;

    /// <summary>The clock of the thread that calls.</summary>
    internal static ThreadClock OfThisThread()
        => new(OperatingSystem.IsLinux() ? string.Create(CultureInfo.InvariantCulture, $"/proc/self/task/{GetThreadId()}/schedstat") : null);

    /// <summary>So far. Zero when the thread has ended.</summary>
    internal TimeSpan Read()
    {
        try
        {
            // Nanoseconds on a processor, nanoseconds waiting for one, and how often.
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
