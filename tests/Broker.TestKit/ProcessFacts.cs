namespace Broker.TestKit;

/// <summary>
/// Counters of the operating system for this process. If the system has none, the values never increase.
/// </summary>
public static class ProcessFacts
{
    public static int Descriptors() => OperatingSystem.IsLinux() ? Directory.GetFileSystemEntries("/proc/self/fd").Length : 0;

    public static int ThreadsNamed(string prefix) => Tasks(prefix).Count();

    /// <summary>The number of times that the threads with this name have gone to sleep.</summary>
    public static long Sleeps(string prefix) => Tasks(prefix).Sum(task => Text(task, "status")
        .Split('\n')
        .Where(line => line.StartsWith("voluntary_ctxt_switches:", StringComparison.Ordinal))
        .Sum(line => long.Parse(line.AsSpan(line.IndexOf(':') + 1).Trim(), provider: null)));

    /// <summary>The processor time of the threads with this name, in ticks of the kernel.</summary>
    public static long Ticks(string prefix) => Tasks(prefix).Sum(task =>
    {
        string stat = Text(task, "stat");
        if (stat.Length == 0)
        {
            return 0;
        }

        string[] fields = stat[(stat.LastIndexOf(')') + 2)..].Split(' ');
        return long.Parse(fields[11], provider: null) + long.Parse(fields[12], provider: null);
    });

    private static IEnumerable<string> Tasks(string prefix) => OperatingSystem.IsLinux()
        ? Directory.GetDirectories("/proc/self/task").Where(task => Text(task, "comm").StartsWith(prefix, StringComparison.Ordinal))
        : [];

    // Returns nothing for a thread that has ended, because its files may disappear at any moment.
    private static string Text(string task, string file)
    {
        try
        {
            return File.ReadAllText(Path.Combine(task, file));
        }
        catch (IOException)
        {
            return "";
        }
    }
}
