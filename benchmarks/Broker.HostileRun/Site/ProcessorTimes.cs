using System.Globalization;

namespace Broker.HostileRun.Site;

/// <summary>
/// How long all threads of a process have run, and how long they have waited for a processor that others had. Only
/// Linux tells the second.
/// </summary>
internal readonly record struct ProcessorTimes(TimeSpan Ran, TimeSpan Waited)
{
    public static ProcessorTimes operator -(ProcessorTimes later, ProcessorTimes earlier)
        => new(later.Ran - earlier.Ran, later.Waited - earlier.Waited);

    public static ProcessorTimes Read(System.Diagnostics.Process process)
    {
        process.Refresh();
        long waited = 0;
        if (OperatingSystem.IsLinux())
        {
            foreach (string folder in Directory.EnumerateDirectories($"/proc/{process.Id}/task"))
            {
                try
                {
                    string[] words = File.ReadAllText(Path.Combine(folder, "schedstat")).Split(' ');
                    waited += words.Length > 1 ? long.Parse(words[1], CultureInfo.InvariantCulture) : 0;
                }
                catch (IOException)
                {
                    // The thread has just ended.
                }
            }
        }

        return new ProcessorTimes(process.TotalProcessorTime, TimeSpan.FromMicroseconds(waited / 1000.0));
    }
}
