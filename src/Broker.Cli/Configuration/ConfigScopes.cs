namespace Broker.Cli.Configuration;

/// <summary>
/// The open blocks around the cursor, the innermost last. A <c>$name</c> is looked up first in these blocks, then in
/// the environment.
/// </summary>
internal sealed class ConfigScopes(Func<string, string?> environment)
{
    private readonly List<ConfigBlock> _open = [];

    /// <summary>Warnings about the file, such as keys that are set twice.</summary>
    public List<ConfigProblem> Warnings { get; } = [];

    public void Enter(ConfigBlock block) => _open.Add(block);

    public void Leave() => _open.RemoveAt(_open.Count - 1);

    /// <summary>
    /// Returns the value of a key that is set above <paramref name="use"/>, or the value of an environment variable.
    /// The text of a variable is parsed as if it were in the file.
    /// </summary>
    /// <param name="name">The name without the dollar sign.</param>
    /// <param name="use">The position of the <c>$name</c>.</param>
    /// <param name="isSecret">Whether the name and the value must not be shown.</param>
    /// <exception cref="ConfigException">No key or variable has the name.</exception>
    public ConfigValue Resolve(string name, ConfigPosition use, bool isSecret)
    {
        // As in nats-server, a bcrypt hash needs no quotes although it begins with '$'.
        if (name is ['2', 'a' or 'b' or 'x' or 'y', '$', ..])
        {
            return new ConfigText('$' + name, use);
        }

        for (int i = _open.Count - 1; i >= 0; i--)
        {
            if (_open[i].Find(name) is not { } entry)
            {
                continue;
            }

            entry.IsVariable = true;
            return entry.Value with { Position = use };
        }

        if (environment(name) is not { } text)
        {
            string what = isSecret ? "a variable (a text that begins with $ needs quotes)" : '$' + name;
            throw new ConfigException($"{what} is neither a key above nor an environment variable", use);
        }

        ConfigValue value = ConfigParser.ParseVariable(text, use)
            // If a variable does not contain one valid value, for example a password with a space, its text is used
            // unchanged.
            ?? new ConfigText(text.Trim(), use);
        return WithVariable(value, name, use);
    }

    // No error shows a part of the value.
    private static ConfigValue WithVariable(ConfigValue value, string name, ConfigPosition use) => value switch
    {
        ConfigArray array => new ConfigArray([.. array.Items.Select(item => WithVariable(item, name, use))], use) { Variable = name },
        _ => value with { Position = use, Variable = name },
    };
}
