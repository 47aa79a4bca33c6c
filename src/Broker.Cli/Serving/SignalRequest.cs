using System.Globalization;

namespace Broker.Cli.Serving;

/// <summary><c>--signal reload=1234</c>: what another broker on this machine is asked for, and which one.</summary>
/// <param name="Name">The name of the request.</param>
/// <param name="Process">A process id, the path of a file that holds one, or null when not said.</param>
internal sealed record SignalRequest(string Name, string? Process)
{
    /// <summary>What <see cref="TryParse"/> takes, in words for a message.</summary>
    public const string Shape = "reload, reopen, ldm, stop, quit or term, with =PID or =FILE after it if there are several brokers";

    // With nats-server "stop" kills at once, which loses what is queued; here it is the ordered stop.
    private static readonly Dictionary<string, int> Signals = new(StringComparer.Ordinal)
    {
        ["reload"] = UnixSignals.HangUp,
        ["reopen"] = UnixSignals.User1,
        ["ldm"] = UnixSignals.User2,
        ["stop"] = UnixSignals.Terminate,
        ["term"] = UnixSignals.Terminate,
        ["quit"] = UnixSignals.Interrupt,
    };

    public static SignalRequest? TryParse(string text)
    {
        var equals = text.IndexOf('=', StringComparison.Ordinal);
        var name = equals < 0 ? text : text[..equals];
        var process = equals < 0 ? null : text[(equals + 1)..];
        return Signals.ContainsKey(name) && process is not "" ? new SignalRequest(name, process) : null;
    }

    /// <summary>Sends it. Null when that went well, else why not, in one line.</summary>
    /// <param name="pidFile">Where the process id is when the request does not say, or null.</param>
    /// <param name="program">The name of the processes that are looked for when nobody says.</param>
    public string? Send(string? pidFile, string program = ProgramName.Default)
    {
        if (OperatingSystem.IsWindows())
        {
            return "--signal needs signals, which Windows does not have: use the service manager";
        }

        if (Find(pidFile, program, out var process) is { } problem)
        {
            return problem;
        }

        return UnixSignals.Send(process, Signals[Name]) is { } reason ? $"cannot signal process {process}: {reason}" : null;
    }

    private string? Find(string? pidFile, string program, out int process)
    {
        if (Process is not null)
        {
            return IsId(Process, out process) ? null : Read(Process, out process);
        }

        if (pidFile is not null)
        {
            return Read(pidFile, out process);
        }

        process = 0;
        var found = Running(program);
        if (found is not [var only])
        {
            return found.Count == 0
                ? $"no {program} is running"
                : $"several processes of {program} are running, say which: --signal {Name}=PID with one of {string.Join(", ", found)}";
        }

        process = only;
        return null;
    }

    private static string? Read(string file, out int process)
    {
        process = 0;
        try
        {
            return IsId(File.ReadAllText(file).Trim(), out process) ? null : $"the file {file} holds no process id";
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return $"{file} is neither a process id nor a pid file that can be read";
        }
    }

    private static bool IsId(string text, out int process) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out process) && process > 0;

    private static List<int> Running(string program)
    {
        var ids = new List<int>();
        foreach (var process in System.Diagnostics.Process.GetProcessesByName(program))
        {
            using (process)
            {
                if (process.Id != Environment.ProcessId)
                {
                    ids.Add(process.Id);
                }
            }
        }

        return ids;
    }
}
