namespace Broker.Cli.Terminal;

/// <summary>
/// Standard output and error as one place: on a terminal a status line stays last while other lines appear above it.
/// Calls may come from any thread.
/// </summary>
internal sealed class Screen(TextWriter output, TextWriter error, bool isTerminal, Func<int> width)
{
    private const string ClearLine = "\r\u001b[K";

    private readonly Lock _lock = new();
    private string _status = "";

    /// <summary>The process's own console. The status line is redrawn only when nobody redirected it.</summary>
    public static Screen OfProcess() =>
        new(Console.Out, Console.Error, !Console.IsOutputRedirected, static () => Console.WindowWidth);

    public bool IsTerminal => isTerminal;

    public void WriteLine(string line) => Write(output, line);

    public void WriteErrorLine(string line) => Write(error, line);

    /// <summary>Replaces the status line; without a terminal it is a line like others.</summary>
    public void ShowStatus(string status)
    {
        if (!isTerminal)
        {
            WriteLine(status);
            return;
        }

        lock (_lock)
        {
            // A line as wide as the terminal wraps, and a wrapped line cannot be redrawn. Width 0 means unknown.
            var room = width() is > 1 and var columns ? columns - 1 : 79;
            _status = status.Length > room ? status[..room] : status;
            output.Write(ClearLine + _status);
            output.Flush();
        }
    }

    /// <summary>Leaves the status where it is and continues below it.</summary>
    public void EndStatus()
    {
        lock (_lock)
        {
            if (_status.Length == 0)
                return;
            output.WriteLine();
            _status = "";
        }
    }

    private void Write(TextWriter writer, string line)
    {
        lock (_lock)
        {
            if (_status.Length == 0)
            {
                writer.WriteLine(line);
                writer.Flush();
                return;
            }

            output.Write(ClearLine);
            output.Flush();
            writer.WriteLine(line);
            writer.Flush();
            output.Write(_status);
            output.Flush();
        }
    }
}
