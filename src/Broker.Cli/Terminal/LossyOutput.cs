using System.Globalization;

namespace Broker.Cli.Terminal;

/// <summary>
/// An output that may fail for a while, such as a file on a full disk or a pipe without a reader. Writing throws
/// nothing. Lines that could not be written are counted. When writing succeeds again, a notice with their number and
/// the reason is written first.
/// </summary>
/// <param name="write">Writes one line, or throws.</param>
/// <param name="notice">Formats the text about lost lines as a line.</param>
/// <remarks>Not thread-safe.</remarks>
internal sealed class LossyOutput(Action<string> write, Func<string, string> notice)
{
    private long _lost;
    private string _reason = "";

    /// <summary>The number of lost lines since the last notice.</summary>
    public long Lost => _lost;

    /// <summary>Writes the line, or counts it as lost.</summary>
    public void Write(string line)
    {
        if (!TellLost() || !TryWrite(line))
        {
            _lost++;
        }
    }

    /// <summary>
    /// Writes the notice about lost lines, if there are any. Returns false if the notice could not be written.
    /// </summary>
    public bool TellLost()
    {
        if (_lost != 0)
        {
            string lines = _lost == 1 ? "1 line was" : string.Create(CultureInfo.InvariantCulture, $"{_lost} lines were");
            if (!TryWrite(notice($"{lines} lost, because this output could not be written: {_reason}")))
            {
                return false;
            }

            _lost = 0;
        }

        return true;
    }

    private bool TryWrite(string line)
    {
        try
        {
            write(line);
            return true;
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            // The notice will contain the reason when this output works again.
            _reason = e.Message;
            return false;
        }
    }
}
