namespace Broker.Cli.Configuration;

/// <summary>The blocks open around the cursor, innermost last, in which <c>$name</c> is looked up before the environment.</summary>
internal sealed class ConfigScopes(Func<string, string?> environment)
{
    private readonly List<ConfigBlock> _open = [];

    /// <summary>What is suspect but allowed.</summary>
    public List<ConfigProblem> Warnings { get; } = [];

    public void Enter(ConfigBlock block) => _open.Add(block);

    public void Leave() => _open.RemoveAt(_open.Count - 1);

    /// <summary>The value of a key set above the place of use, else that of an environment variable, typed as if it stood here.</summary>
    /// <param name="name">Without the dollar.</param>
    /// <param name="use">The place of use.</param>
    /// <param name="isSecret">Whether what stands there must not be shown.</param>
    public ConfigValue Resolve(string name, ConfigPosition use, bool isSecret)
    {
        // As in nats-server a hash needs no quotes.
        if (name is ['2', 'a' or 'b' or 'x' or 'y', '$', ..])
        {
            return new ConfigText('$' + name, use);
        }

        for (var i = _open.Count - 1; i >= 0; i--)
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
            string what = isSecret ? "what begins with $ (a text needs quotes)" : '$' + name;
            throw new ConfigException($"{what} is neither set above nor an environment variable", use);
        }

        return text is ['"', .., '"'] or ['\'', .., '\''] && text.Length > 1
            ? new ConfigText(text[1..^1], use)
            : ConfigScalar.Read(text, use, isSecret);
    }
}
