namespace Broker.Cli.Terminal;

/// <summary>
/// Writes to standard output and standard error. On a terminal, a status line remains last and other lines appear above
/// it. Methods can be called on any thread and throw nothing. Lines that cannot be written are counted and reported
/// later.
/// </summary>
internal sealed class Screen
{
    private const string ClearLine = "\r\u001b[K";

    private readonly TextWriter _output;
    private readonly Func<int> _width;
    private readonly LossyOutput _lines;
    private readonly LossyOutput _errors;

    // If the outputs are redirected, each has its own lock, so that a blocked output does not block the other one.
    private readonly Lock _outputGate = new();
    private readonly Lock _errorGate;
    private string _status = "";

    public Screen(TextWriter output, TextWriter error, bool isTerminal, Func<int> width)
    {
        _output = output;
        _width = width;
        IsTerminal = isTerminal;
        _errorGate = isTerminal ? _outputGate : new Lock();
        _lines = new LossyOutput(line => WriteTo(output, line), static text => "broker: " + text);
        _errors = new LossyOutput(line => WriteTo(error, line), static text => "broker: " + text);
    }

    /// <summary>
    /// Returns a screen for the process's console. The status line is redrawn only if output is not redirected.
    /// </summary>
    public static Screen OfProcess()
        => new(Console.Out, Console.Error, !Console.IsOutputRedirected, static () => Console.WindowWidth);

    public bool IsTerminal { get; }

    public void WriteLine(string line)
    {
        lock (_outputGate)
        {
            _lines.Write(line);
        }
    }

    public void WriteErrorLine(string line)
    {
        lock (_errorGate)
        {
            _errors.Write(line);
        }
    }

    /// <summary>Writes the notice about lost lines of standard output, if there are any.</summary>
    public void TellLost()
    {
        lock (_outputGate)
        {
            _lines.TellLost();
        }
    }

    /// <summary>Replaces the status line. Without a terminal, the status is written as an ordinary line.</summary>
    public void ShowStatus(string status)
    {
        if (!IsTerminal)
        {
            WriteLine(status);
            return;
        }

        lock (_outputGate)
        {
            // A line with the width of the terminal wraps, and a wrapped line cannot be redrawn. Width 0 means unknown.
            int limit = _width() is > 1 and var columns ? columns - 1 : 79;
            _status = status.Length > limit ? status[..limit] : status;
            Draw(ClearLine + _status);
        }
    }

    /// <summary>Keeps the current status line as text and continues below it.</summary>
    public void EndStatus()
    {
        lock (_outputGate)
        {
            if (_status.Length == 0)
            {
                return;
            }

            Draw(Environment.NewLine);
            _status = "";
        }
    }

    // A failed write is ignored, because the next status replaces this one.
    private void Draw(string text)
    {
        try
        {
            _output.Write(text);
            _output.Flush();
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            // The terminal was closed.
        }
    }

    // Writes the line and its end in one call, so that a failed write does not leave a part of a line.
    private void WriteTo(TextWriter writer, string line)
    {
        if (_status.Length == 0)
        {
            writer.Write(line + writer.NewLine);
            writer.Flush();
            return;
        }

        Draw(ClearLine);
        writer.Write(line + writer.NewLine);
        writer.Flush();
        Draw(_status);
    }
}
