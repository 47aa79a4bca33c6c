using System.Globalization;

namespace Broker.Cli.Terminal;

/// <summary>
/// An output that may fail and come back: a full disk, a pipe that nobody reads. Nothing is thrown; lines that could not be
/// written are counted, and a line says how many and why as soon as one can be written again.
/// </summary>
/// <param name="write">Writes one line, and throws when it cannot.</param>
/// <param name="notice">Makes the line of a text about lines that were lost.</param>
/// <remarks>Not thread-safe: whoever writes, writes alone.</remarks>
internal sealed class LossyOutput(Action<string> write, Func<string, string> notice)
{
    private long _lost;
    private string _reason = "";

    /// <summary>How many lines were not written, and have not been told of yet.</summary>
    public long Lost => _lost;

    /// <summary>Writes the line or counts it.</summary>
    public void Write(string line)
    {
        if (!TellLost() || !TryWrite(line))
        {
            _lost++;
        }
    }

    /// <summary>Says what was lost, if anything was. False when that could not be written either.</summary>
    public bool TellLost()
    {
        if (_lost != 0)
        {
            var lines = _lost == 1 ? "1 line was" : string.Create(CultureInfo.InvariantCulture, $"{_lost} lines were");
            if (!TryWrite(notice($"{lines} not written here: {_reason}")))
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
            // There is no place left to say so; it is said here, later.
            _reason = e.Message;
            return false;
        }
    }
}
