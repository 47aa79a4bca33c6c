using System.Diagnostics;
using System.Globalization;
using Broker.Cli.Terminal;
using Broker.Hosting;
using Broker.Transport;

namespace Broker.Cli.Serving;

/// <summary>The value of <c>--signal reload=1234</c>: a request to another broker process on this machine.</summary>
/// <param name="Name">The name of the request.</param>
/// <param name="Process">A process id, the path of a pid file, or null if the flag has neither.</param>
internal sealed record SignalRequest(string Name, string? Process)
{
    /// <summary>Describes the input of <see cref="ParseOrNull"/> for error messages.</summary>
    public const string Shape = "reload, reopen, ldm, stop, quit or term, followed by =PID or =FILE if several brokers are running";

    private const int MaxPidFile = 64;

    // In nats-server, "stop" kills the process, which loses pending messages. Here it is an orderly stop.
    private static readonly Dictionary<string, int> Signals = new(StringComparer.Ordinal)
    {
        ["reload"] = UnixSignals.HangUp,
        ["reopen"] = UnixSignals.User1,
        ["ldm"] = UnixSignals.User2,
        ["stop"] = UnixSignals.Terminate,
        ["term"] = UnixSignals.Terminate,
        ["quit"] = UnixSignals.Interrupt,
    };

    /// <summary>How long <see cref="Run"/> waits for the result of a reload.</summary>
    public TimeSpan LongestReload { get; init; } = TimeSpan.FromSeconds(10);

    public static SignalRequest? ParseOrNull(string text)
    {
        int equals = text.IndexOf('=', StringComparison.Ordinal);
        string name = equals < 0 ? text : text[..equals];
        string? process = equals < 0 ? null : text[(equals + 1)..];
        return Signals.ContainsKey(name) && process is not "" ? new SignalRequest(name, process) : null;
    }

    /// <summary>Sends the request, writes the errors, and returns the exit code.</summary>
    /// <inheritdoc cref="Send"/>
    public int Run(Screen screen, string? pidFile, string program)
    {
        (int exitCode, string? problems) = Send(pidFile, program);
        foreach (string problem in problems?.Split('\n') ?? [])
        {
            screen.WriteErrorLine($"broker: {SafeText.OneLine(problem)}");
        }

        return exitCode;
    }

    /// <summary>
    /// Sends the request, and waits for the result of a reload. Returns the exit code, and the errors, each on a line;
    /// null on success.
    /// </summary>
    /// <param name="pidFile">The pid file to use if the request names no process, or null.</param>
    /// <param name="program">
    /// The name of the processes to search if there is neither a process id nor a pid file.
    /// </param>
    public (int ExitCode, string? Problems) Send(string? pidFile, string program = ProgramName.Default)
    {
        if (OperatingSystem.IsWindows())
        {
            return (ExitCode.Failure, "--signal is not supported on Windows: use broker service");
        }

        if (Find(pidFile, program, out int process) is { } problem)
        {
            return (ExitCode.Failure, problem);
        }

        using ReloadReceipt? receipt = Name == "reload" ? ReloadReceipt.Open(process) : null;
        if (UnixSignals.Send(process, Signals[Name]) is { } reason)
        {
            return (ExitCode.Failure, $"cannot signal process {process}: {reason}");
        }

        if (receipt is null)
        {
            return (ExitCode.Success, null);
        }

        return receipt.Wait(LongestReload) switch
        {
            null => (ExitCode.NothingCame, $"process {process} has not answered within {Duration.Format(LongestReload)} whether it has reloaded; its log tells"),
            [] => (ExitCode.Success, null),
            var problems => (ExitCode.Failure, string.Join('\n', problems.Select(problem => $"process {process} cannot reload: {problem}"))),
        };
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
        List<int> found = Running(program);
        if (found is not [var only])
        {
            return found.Count == 0
                ? $"no {program} is running"
                : $"several processes of {program} are running: use --signal {Name}=PID with one of {string.Join(", ", found)}";
        }

        process = only;
        return null;
    }

    private static string? Read(string file, out int process)
    {
        process = 0;
        try
        {
            return IsId(BoundedFile.ReadText(file, MaxPidFile).Trim(), out process) ? null : $"the file {file} contains no process id";
        }
        catch (InvalidDataException)
        {
            return $"the file {file} contains no process id";
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return $"{file} is neither a process id nor a readable pid file";
        }
    }

    private static bool IsId(string text, out int process)
        => int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out process) && process > 0;

    private static List<int> Running(string program)
    {
        var ids = new List<int>();
        foreach (Process process in System.Diagnostics.Process.GetProcessesByName(program))
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
