using Broker.Cli.Shell;

namespace Broker.Cli.Streams;

/// <summary>Names and values, one on each line.</summary>
internal sealed class Facts
{
    private const int Gap = 2;

    private readonly List<(string Name, string Value)> _all = [];

    /// <summary>The names and the shown values, in their order.</summary>
    public IReadOnlyList<(string Name, string Value)> All => _all;

    /// <summary>Adds a value. Null, false and an empty list are left out.</summary>
    public Facts Add(string name, object? value)
    {
        if (value is not (null or "" or false or IReadOnlyCollection<string> { Count: 0 }))
        {
            _all.Add((name, ValueText.Of(value)));
        }

        return this;
    }

    public void WriteTo(ShellStreams shell)
    {
        var lines = new LineOutput(shell);
        int width = _all.Max(static fact => fact.Name.Length) + Gap;
        foreach ((string name, string value) in _all)
        {
            lines.Write(name.PadRight(width) + value);
            lines.EndLine();
        }

        lines.Flush();
    }
}
