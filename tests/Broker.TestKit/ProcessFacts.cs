namespace Broker.TestKit;

/// <summary>What the operating system says of this process; where it does not say, nothing grows.</summary>
public static class ProcessFacts
{
    public static int Descriptors() => OperatingSystem.IsLinux() ? Directory.GetFileSystemEntries("/proc/self/fd").Length : 0;

    public static int ThreadsNamed(string prefix) => Tasks(prefix).Count();

    /// <summary>How often the threads with such a name have gone to sleep so far.</summary>
    public static long Sleeps(string prefix) => Tasks(prefix).Sum(task =>
        File.ReadLines(Path.Combine(task, "status"))
            .Where(line => line.StartsWith("voluntary_ctxt_switches:", StringComparison.Ordinal))
            .Sum(line => long.Parse(line.AsSpan(line.IndexOf(':') + 1).Trim(), provider: null)));

    /// <summary>The processor time of the threads with such a name, in ticks of the kernel.</summary>
    public static long Ticks(string prefix) => Tasks(prefix).Sum(task =>
    {
        string stat = File.ReadAllText(Path.Combine(task, "stat"));
        string[] fields = stat[(stat.LastIndexOf(')') + 2)..].Split(' ');
        return long.Parse(fields[11], provider: null) + long.Parse(fields[12], provider: null);
    });

    private static IEnumerable<string> Tasks(string prefix)
    {
        if (!OperatingSystem.IsLinux())
        {
            yield break;
        }

        foreach (string task in Directory.GetDirectories("/proc/self/task"))
        {
            string name;
            try
            {
                name = File.ReadAllText(Path.Combine(task, "comm"));
            }
            catch (IOException)
            {
                // Ended meanwhile.
                continue;
            }

            if (name.StartsWith(prefix, StringComparison.Ordinal))
            {
                yield return task;
            }
        }
    }
}
