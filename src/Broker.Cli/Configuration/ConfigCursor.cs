namespace Broker.Cli.Configuration;

/// <summary>Reads the characters of one file and counts lines and columns.</summary>
internal sealed class ConfigCursor(string text, string file)
{
    private int _index;
    private int _line = 1;
    private int _lineStart;

    /// <summary>The character that <see cref="Peek"/> returns at the end of the file.</summary>
    public const char End = '\0';

    public string File => file;

    public bool AtEnd => _index >= text.Length;

    public ConfigPosition Position => new(file, _line, _index - _lineStart + 1);

    public char Peek(int ahead = 0) => _index + ahead < text.Length ? text[_index + ahead] : End;

    public char Take()
    {
        char c = text[_index++];
        if (c == '\n')
        {
            _line++;
            _lineStart = _index;
        }

        return c;
    }

    public void SkipSpaces()
    {
        while (!AtEnd && Peek() is ' ' or '\t' or '\r')
        {
            _index++;
        }
    }

    /// <summary>Skips spaces, line ends and comments.</summary>
    public void SkipBlank()
    {
        while (true)
        {
            SkipSpaces();
            if (AtComment)
            {
                SkipLine();
            }
            else if (Peek() == '\n')
            {
                Take();
            }
            else
            {
                return;
            }
        }
    }

    public bool AtComment => Peek() == '#' || (Peek() == '/' && Peek(1) == '/');

    public void SkipLine()
    {
        while (!AtEnd && Peek() != '\n')
        {
            _index++;
        }
    }

    /// <summary>
    /// Takes the text before the first character of <paramref name="stops"/>, or the rest of the file.
    /// </summary>
    public string TakeUntilAny(ReadOnlySpan<char> stops)
    {
        ReadOnlySpan<char> rest = text.AsSpan(_index);
        int length = rest.IndexOfAny(stops);
        if (length < 0)
        {
            length = rest.Length;
        }

        _index += length;
        return rest[..length].ToString();
    }

    /// <summary>Describes the character at the cursor for an error message.</summary>
    public string Describe() => AtEnd ? "the end of the file" : Peek() switch
    {
        '\n' or '\r' => "the end of the line",
        var c when char.IsControl(c) => $"the character U+{(int)c:X4}",
        var c => $"'{c}'",
    };

    public ConfigException Error(string message) => new(message, Position);
}
