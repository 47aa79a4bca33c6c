using Broker.Cli.Terminal;

namespace Broker.Cli.Logging;

/// <summary>Writes log lines in order. Adding a line never blocks or throws.</summary>
internal sealed class LogLineWriter : IDisposable
{
    private readonly LossyOutput _output;
    private readonly OutputQueue<string> _lines;

    /// <param name="write">Writes one line. If it throws, the line is counted as lost.</param>
    /// <param name="notice">
    /// Formats the text about lost lines as a line. Without it, the text itself is the line.
    /// </param>
    public LogLineWriter(Action<string> write, Func<string, string>? notice = null)
    {
        notice ??= static text => text;
        _output = new LossyOutput(write, notice);
        _lines = new OutputQueue<string>(
            _output.Write,
            late => notice($"{late} log lines were lost, because they came faster than they could be written"),
            () => _output.TellLost());
    }

    /// <summary>Queues a line. After <see cref="Dispose"/>, lines are ignored.</summary>
    public void Add(string line) => _lines.Add(line);

    /// <summary>Writes the queued lines, for a few seconds at most.</summary>
    public void Dispose() => _lines.Dispose();
}
