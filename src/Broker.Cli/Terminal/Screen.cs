namespace Broker.Cli.Terminal;

/// <summary>
/// Standard output and error as one place: on a terminal a status line stays last while other lines appear above it.
/// Calls may come from any thread. Nothing is thrown: what cannot be written is counted, and told of when something can be.
/// </summary>
internal sealed class Screen
{
    private const string ClearLine = "\r\u001b[K";

    private readonly TextWriter _output;
    private readonly Func<int> _width;
    private readonly LossyOutput _lines;
    private readonly LossyOutput _errors;

    // Redirected, the two have nothing in common: one that stalls must not hold the other.
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

    /// <summary>The process's own console. The status line is redrawn only when nobody redirected it.</summary>
    public static Screen OfProcess() =>
        new(Console.Out, Console.Error, !Console.IsOutputRedirected, static () => Console.WindowWidth);

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

    /// <summary>Says what could not be written to standard output, if anything could not and now can be.</summary>
    public void TellLost()
    {
        lock (_outputGate)
        {
            _lines.TellLost();
        }
    }

    /// <summary>Replaces the status line; without a terminal it is a line like others.</summary>
    public void ShowStatus(string status)
    {
        if (!IsTerminal)
        {
            WriteLine(status);
            return;
        }

        lock (_outputGate)
        {
            // A line as wide as the terminal wraps, and a wrapped line cannot be redrawn. Width 0 means unknown.
            int room = _width() is > 1 and var columns ? columns - 1 : 79;
            _status = status.Length > room ? status[..room] : status;
            Draw(ClearLine + _status);
        }
    }

    /// <summary>Leaves the status where it is and continues below it.</summary>
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

    // A status that cannot be shown is no loss: the next one says more.
    private void Draw(string text)
    {
        try
        {
            _output.Write(text);
            _output.Flush();
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            // The terminal is gone.
        }
    }

    // In one call, so that a line that fails has wholly failed where the system can do so.
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
