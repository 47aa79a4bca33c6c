using Broker.Cli.Terminal;

namespace Broker.Cli.Logging;

/// <summary>Writes log lines in order, without ever holding or failing who logs.</summary>
internal sealed class LogLineWriter : IDisposable
{
    private readonly LossyOutput _output;
    private readonly OutputQueue<string> _lines;

    /// <param name="write">Writes one line; what it throws is counted as a line lost.</param>
    /// <param name="notice">Makes the line of a text about lines that were lost; the text itself if it is left out.</param>
    public LogLineWriter(Action<string> write, Func<string, string>? notice = null)
    {
        notice ??= static text => text;
        _output = new LossyOutput(write, notice);
        _lines = new OutputQueue<string>(
            _output.Write,
            late => notice($"{late} log lines were not written: they came faster than they could be"),
            () => _output.TellLost());
    }

    /// <summary>Queues a line; after <see cref="Dispose"/> it is ignored.</summary>
    public void Add(string line) => _lines.Add(line);

    /// <summary>Writes what waits, for a few seconds at most.</summary>
    public void Dispose() => _lines.Dispose();
}
