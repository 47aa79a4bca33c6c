namespace Broker.Cli.Configuration;

/// <summary>
/// Parses one file in the NATS configuration syntax (docs.nats.io, "Configuration file format"), as nats-server 2.9.10
/// accepts it. The first syntax error throws a <see cref="ConfigException"/>.
/// </summary>
/// <param name="cursor">Reads the text of the file.</param>
/// <param name="variables">Resolves a <c>$name</c>.</param>
/// <param name="include">Parses the named file into the block that contains the include.</param>
internal sealed partial class ConfigParser(
    ConfigCursor cursor, ConfigScopes variables, Action<string, ConfigPosition, ConfigBlock> include)
{
    // The parser is recursive, so the depth is limited to protect the stack.
    private const int MaxDepth = 64;

    private int _depth;

    // Whether the value at the cursor is a block with subjects as its keys.
    private bool _holdsSubjects;

    // The number of keys around the cursor whose values may be secrets.
    private int _secrets;

    /// <summary>
    /// Parses the whole file into <paramref name="block"/>. The file may be enclosed in braces, like JSON.
    /// </summary>
    public void ParseFile(ConfigBlock block)
    {
        cursor.SkipBlank();
        bool braced = cursor.Peek() == '{';
        if (braced)
        {
            cursor.Take();
        }

        ParseEntries(block, braced);
        cursor.SkipBlank();
        if (!cursor.AtEnd)
        {
            throw cursor.Error($"expected the end of the file, found {cursor.Describe()}");
        }
    }

    private void ParseEntries(ConfigBlock block, bool braced)
    {
        while (true)
        {
            cursor.SkipBlank();
            switch (cursor.Peek())
            {
                case ConfigCursor.End when cursor.AtEnd && braced:
                    throw new ConfigException("missing '}' for the block", block.Position);
                case ConfigCursor.End when cursor.AtEnd:
                    return;
                case '}' when braced:
                    cursor.Take();
                    return;
                case '}':
                    throw cursor.Error("a '}' without a '{'");
                case ',' or ';':
                    cursor.Take();
                    break;
                default:
                    ParseEntry(block, braced);
                    break;
            }
        }
    }

    private void ParseEntry(ConfigBlock block, bool braced)
    {
        ConfigPosition position = cursor.Position;
        bool quoted = cursor.Peek() is '"' or '\'';
        string key = quoted ? ParseQuoted() : cursor.TakeUntilAny(" \t\r\n=:{},;");
        if (key.Length == 0)
        {
            throw cursor.Error($"expected a key, found {cursor.Describe()}");
        }

        string shown = _secrets > 0 && !SecretKeys.IsUsual(key) ? "(not shown)" : $"\"{key}\"";

        cursor.SkipSpaces();
        if (cursor.Peek() is '=' or ':')
        {
            cursor.Take();
            cursor.SkipSpaces();
        }
        else
        {
            if (!quoted && key == "include")
            {
                ParseInclude(block, position);
                ExpectEndOfEntry(shown, braced);
                return;
            }

            // Without a separator, a block may begin on the next line.
            cursor.SkipBlank();
            if (cursor.Position.Line != position.Line && cursor.Peek() != '{')
            {
                throw new ConfigException($"the key {shown} has no value", position);
            }
        }

        if (cursor.AtEnd || cursor.AtComment || cursor.Peek() is '\n' or ',' or ';' or '}')
        {
            throw new ConfigException($"the key {shown} has no value", position);
        }

        bool isSecret = SecretKeys.Holds(key);
        _secrets += isSecret ? 1 : 0;
        _holdsSubjects = MappingsConfig.Names.Contains(key, StringComparer.OrdinalIgnoreCase);
        Assign(block, new ConfigEntry(key, position, ParseValue()));
        ExpectEndOfEntry(shown, braced);
        _secrets -= isSecret ? 1 : 0;
    }

    private void Assign(ConfigBlock block, ConfigEntry entry)
    {
        if (block.Set(entry) is { } replaced)
        {
            entry.IsVariable = replaced.IsVariable;
            variables.Warnings.Add(new ConfigProblem(
                $"\"{entry.Key}\" is set twice; the value from {replaced.Position} is replaced", entry.Position));
        }
    }

    private void ParseInclude(ConfigBlock block, ConfigPosition position)
    {
        if (cursor.AtEnd || cursor.Peek() == '\n' || ParseValue() is not ConfigText file)
        {
            throw new ConfigException("include needs a file name", position);
        }

        include(file.Value, position, block);
    }

    private void ExpectEndOfEntry(string key, bool braced)
    {
        cursor.SkipSpaces();
        if (cursor.AtEnd || cursor.AtComment || cursor.Peek() is '\n' or ',' or ';' || (braced && cursor.Peek() == '}'))
        {
            return;
        }

        throw cursor.Error($"expected the end of the line after the value of {key}, found {cursor.Describe()}");
    }
}
