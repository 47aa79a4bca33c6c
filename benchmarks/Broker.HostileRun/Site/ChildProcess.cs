using System.Diagnostics;

namespace Broker.HostileRun.Site;

/// <summary>A program in a child process, which ends with this object or with this program.</summary>
internal class ChildProcess : IDisposable
{
    private const int KeptLines = 10;

    // The lowest priority that Linux has for ordinary processes.
    private const string Lowest = "19";

    private readonly Queue<string> _lastLines = new();

    /// <summary>Starts the program.</summary>
    /// <param name="file">The path of a native file, or the name of a managed program beside this one (.dll).</param>
    /// <param name="arguments">The arguments.</param>
    /// <param name="variables">Environment variables in addition to those of this process.</param>
    /// <param name="hasLowestPriority">Whether the program gets a processor only when no other program wants
    /// it.</param>
    protected ChildProcess(
        string file, IEnumerable<string> arguments, IReadOnlyDictionary<string, string> variables, bool hasLowestPriority = false)
    {
        string[] line = file.EndsWith(".dll", StringComparison.Ordinal)
            ? [Host, Path.Combine(AppContext.BaseDirectory, file), .. arguments]
            : [file, .. arguments];
        if (hasLowestPriority && OperatingSystem.IsLinux())
        {
            // On Linux each thread has a priority of its own, so it must be set before the program has threads.
            line = ["nice", "-n", Lowest, .. line];
        }

        var start = new ProcessStartInfo(line[0], line[1..]);
        start.RedirectStandardInput = true;
        start.RedirectStandardOutput = true;
        start.RedirectStandardError = true;
        start.UseShellExecute = false;
        foreach ((string name, string value) in variables)
        {
            start.Environment[name] = value;
        }

        Process = new Process { StartInfo = start };
        Process.OutputDataReceived += (_, e) => OnLine(e.Data);
        Process.ErrorDataReceived += (_, e) => Keep(e.Data);
        AppDomain.CurrentDomain.ProcessExit += OnExit;
        Process.Start();
        if (hasLowestPriority && !OperatingSystem.IsLinux())
        {
            Process.PriorityClass = ProcessPriorityClass.Idle;
        }

        Process.BeginOutputReadLine();
        Process.BeginErrorReadLine();
    }

    public Process Process { get; }

    /// <summary>The end of the child's output.</summary>
    public string LastLines
    {
        get
        {
            lock (_lastLines)
            {
                return _lastLines.Count == 0 ? "It printed nothing." : $"It printed: {string.Join(" | ", _lastLines)}";
            }
        }
    }

    private static string Host => Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") is { Length: > 0 } path ? path : "dotnet";

    public void Dispose()
    {
        AppDomain.CurrentDomain.ProcessExit -= OnExit;
        Kill();
        Process.Dispose();
        GC.SuppressFinalize(this);
    }

    /// <summary>Is called with each line of the child's standard output.</summary>
    protected virtual void OnLine(string? line) => Keep(line);

    private void Keep(string? line)
    {
        if (line is null)
        {
            return;
        }

        lock (_lastLines)
        {
            _lastLines.Enqueue(line);
            if (_lastLines.Count > KeptLines)
            {
                _lastLines.Dequeue();
            }
        }
    }

    private void OnExit(object? sender, EventArgs e) => Kill();

    private void Kill()
    {
        try
        {
            Process.Kill(entireProcessTree: true);
            Process.WaitForExit(10_000);
        }
        catch (InvalidOperationException)
        {
            // The process has ended already.
        }
    }
}
