using System.Text;

namespace Broker.Cli.Configuration;

internal sealed partial class ConfigParser
{
    // These characters end an unquoted word. '#' and '//' do not, because nats://host:4222 is a word.
    private const string WordStops = " \t\r\n,;]}";

    /// <summary>
    /// Parses the text of an environment variable as a value in the file. As in nats-server, quotes and spaces around
    /// the value, a line end, and a comment behind the value are not part of the value. Returns null if the text is not
    /// one value, is a block, or refers to another variable.
    /// </summary>
    public static ConfigValue? ParseVariable(string text, ConfigPosition use)
    {
        var cursor = new ConfigCursor(text, use.File);
        var parser = new ConfigParser(cursor, new ConfigScopes(static _ => null), static (_, _, _) => { }) { _secrets = 1 };
        try
        {
            cursor.SkipBlank();
            ConfigValue value = parser.ParseValue();
            cursor.SkipBlank();
            return cursor.AtEnd && value is not ConfigBlock ? value : null;
        }
        catch (ConfigException)
        {
            return null;
        }
    }

    private ConfigValue ParseValue()
    {
        ConfigPosition position = cursor.Position;
        switch (cursor.Peek())
        {
            case '{':
                return Nested(ParseBlock);
            case '[':
                return Nested(ParseArray);
            case '(':
                return new ConfigText(ParseParenthesised(), position);
            case '"' or '\'':
                return new ConfigText(ParseQuoted(), position);
        }

        string word = cursor.TakeUntilAny(WordStops);
        if (word.Contains("{{", StringComparison.Ordinal))
        {
            // The word ends at the first brace, so the rest would be read as the end of the block.
            throw new ConfigException("a value with {{ must be in quotes, such as \"a.{{wildcard(1)}}\"", position);
        }

        if (word.Length == 0)
        {
            throw cursor.Error($"expected a value, found {cursor.Describe()}");
        }

        return word.Length > 1 && word[0] == '$'
            ? variables.Resolve(word[1..], position, _secrets > 0)
            : ConfigScalar.Read(word, position, _secrets > 0);
    }

    private ConfigValue Nested(Func<ConfigValue> parse)
    {
        if (++_depth > MaxDepth)
        {
            throw cursor.Error($"blocks and arrays are nested more than {MaxDepth} levels deep");
        }

        ConfigValue value = parse();
        _depth--;
        return value;
    }

    private ConfigBlock ParseBlock()
    {
        ConfigBlock block = _holdsSubjects ? ConfigBlock.OfSubjects(cursor.Position) : new ConfigBlock(cursor.Position);
        _holdsSubjects = false;
        cursor.Take();
        variables.Enter(block);
        ParseEntries(block, braced: true);
        variables.Leave();
        return block;
    }

    private ConfigArray ParseArray()
    {
        ConfigPosition position = cursor.Position;
        var items = new List<ConfigValue>();
        cursor.Take();
        while (true)
        {
            cursor.SkipBlank();
            if (cursor.Peek() == ']')
            {
                break;
            }

            if (cursor.AtEnd)
            {
                throw new ConfigException("missing ']' for the array", position);
            }

            items.Add(ParseValue());
            int line = cursor.Position.Line;
            cursor.SkipBlank();
            if (cursor.Peek() == ',')
            {
                cursor.Take();
            }
            else if (cursor.Peek() != ']' && !cursor.AtEnd && cursor.Position.Line == line)
            {
                throw cursor.Error($"expected ',' or ']' in the array, found {cursor.Describe()}");
            }
        }

        cursor.Take();
        return new ConfigArray(items, position);
    }

    /// <summary>
    /// Parses a text in quotes, which may span lines. Double quotes have escapes; single quotes do not.
    /// </summary>
    private string ParseQuoted()
    {
        ConfigPosition position = cursor.Position;
        char quote = cursor.Take();
        var text = new StringBuilder();
        while (!cursor.AtEnd)
        {
            char c = cursor.Take();
            if (c == quote)
            {
                return text.ToString();
            }

            text.Append(c == '\\' && quote == '"' ? ParseEscape() : c);
        }

        throw new ConfigException($"missing {quote} for the string", position);
    }

    private char ParseEscape()
    {
        switch (cursor.AtEnd ? ConfigCursor.End : cursor.Peek())
        {
            case 't':
                cursor.Take();
                return '\t';
            case 'n':
                cursor.Take();
                return '\n';
            case 'r':
                cursor.Take();
                return '\r';
            case '"' or '\\':
                return cursor.Take();
            case 'x' when char.IsAsciiHexDigit(cursor.Peek(1)) && char.IsAsciiHexDigit(cursor.Peek(2)):
                cursor.Take();
                return (char)Convert.FromHexString([cursor.Take(), cursor.Take()])[0];
            default:
                throw cursor.Error(
                    $"unknown escape: {cursor.Describe()} after '\\'; the valid escapes are \\t \\n \\r \\\" \\\\ and \\x41");
        }
    }

    /// <summary>Parses the text between '(' and a ')' that is alone on its line.</summary>
    private string ParseParenthesised()
    {
        ConfigPosition position = cursor.Position;
        var text = new StringBuilder();
        cursor.Take();
        while (!cursor.AtEnd)
        {
            char c = cursor.Take();
            text.Append(c);
            if (c == '\n' && cursor.Peek() == ')' && cursor.Peek(1) is '\n' or '\r' or ConfigCursor.End)
            {
                cursor.Take();
                return text.ToString();
            }
        }

        throw new ConfigException("missing ')' on its own line for the text", position);
    }
}
