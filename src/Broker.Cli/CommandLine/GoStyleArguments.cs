using System.CommandLine;

namespace Broker.Cli.CommandLine;

/// <summary>
/// Converts flags in the style of Go to the form that the parser expects: one dash before a letter, two dashes before a
/// word. nats-server accepts every flag with one or two dashes (<c>-port</c>, <c>--port</c>, <c>--p</c>), but never
/// several flags in one word. The argument after a flag that needs a value is always its value, even if it begins with
/// a dash. If a flag with one value is repeated, only its last value is kept.
/// </summary>
internal sealed class GoStyleArguments
{
    // Flags of nats-server that are short for several flags.
    private static readonly Dictionary<string, string[]> Combined = new(StringComparer.Ordinal)
    {
        ["DV"] = ["-D", "-V"],
        ["DVV"] = ["-D", "--VV"],
    };

    private readonly IReadOnlyList<string> _args;
    private readonly List<Part> _parts = [];
    private readonly List<UnsupportedFlag> _unsupported = [];
    private Command _command;
    private Dictionary<string, Option> _options;

    private GoStyleArguments(IReadOnlyList<string> args, Command root)
    {
        _args = args;
        _command = root;
        _options = OptionsOf(root);
        for (int i = 0; i < args.Count; i++)
        {
            if (args[i] == "--")
            {
                _parts.AddRange(args.Skip(i).Select(static rest => new Part(null, [rest])));
                break;
            }

            i = Add(i);
        }
    }

    /// <summary>The arguments for the parser.</summary>
    public IReadOnlyList<string> Normalized
        => [.. _parts.Where((part, at) => !IsReplaced(part, at)).SelectMany(static part => part.Words)];

    /// <summary>
    /// The first argument that looks like a flag or a command but is unknown, or null. The parser could take such an
    /// argument for a value.
    /// </summary>
    public string? Unknown { get; private set; }

    /// <summary>
    /// The flags of nats-server that <c>broker serve</c> does not support. The parser does not receive them.
    /// </summary>
    public IReadOnlyList<UnsupportedFlag> Unsupported => _unsupported;

    /// <param name="args">The arguments from the command line.</param>
    /// <param name="root">The root command.</param>
    public static GoStyleArguments Of(IReadOnlyList<string> args, Command root) => new(args, root);

    // Adds the argument, with its value if it is a flag, and returns the index of the last argument that was used.
    private int Add(int at)
    {
        string arg = _args[at];
        string bare = arg.TrimStart('-');
        if (arg.Length - bare.Length is not (1 or 2))
        {
            AddWord(arg);
            return at;
        }

        if (Combined.TryGetValue(bare, out string[]? several) && _options.ContainsKey(several[0]))
        {
            _parts.AddRange(several.Select(flag => new Part(_options[flag], [flag])));
            return at;
        }

        int end = bare.IndexOf('=', StringComparison.Ordinal);
        string name = end < 0 ? bare : bare[..end];
        string dashed = name.Length == 1 ? "-" + name : "--" + name;
        if (_options.TryGetValue(dashed, out Option? option))
        {
            return AddFlag(at, option, dashed, end < 0 ? null : bare[end..]);
        }

        if (_command.Name is "serve" or ConfigCommand.ShowName && UnsupportedFlag.Find(arg) is { } unsupported)
        {
            if (!unsupported.IsOff(arg))
            {
                _unsupported.Add(unsupported);
            }

            return unsupported.TakesValue && end < 0 ? at + 1 : at;
        }

        Unknown ??= arg;
        _parts.Add(new Part(null, [arg]));
        return at;
    }

    private void AddWord(string word)
    {
        _parts.Add(new Part(null, [word]));
        if (_command.Subcommands.FirstOrDefault(c => c.Name == word || c.Aliases.Contains(word)) is { } next)
        {
            // Each command has its own flags.
            _command = next;
            _options = OptionsOf(next);
        }
        else if (_command.Subcommands.Count > 0 && !_args[0].StartsWith('['))
        {
            // A word in brackets is a directive, such as [suggest:5], by which a shell asks for completions. The next
            // word is its argument.
            Unknown ??= word;
        }
    }

    private int AddFlag(int at, Option option, string dashed, string? value)
    {
        bool needsValue = option.Arity.MinimumNumberOfValues > 0;
        string? next = value is null && at + 1 < _args.Count ? _args[at + 1] : null;
        if (next is null || !(needsValue || bool.TryParse(next, out _)))
        {
            _parts.Add(new Part(option, [dashed + value]));
            return at;
        }

        _parts.Add(new Part(option, next.StartsWith('-') ? [$"{dashed}={next}"] : [dashed, next]));
        return at + 1;
    }

    private bool IsReplaced(Part part, int at)
        => part.Flag is { Arity.MaximumNumberOfValues: <= 1 } flag && _parts.Skip(at + 1).Any(later => later.Flag == flag);

    private static Dictionary<string, Option> OptionsOf(Command command)
        => command.Options
            .SelectMany(o => o.Aliases.Prepend(o.Name).Select(name => (name, o)))
            .ToDictionary(pair => pair.name, pair => pair.o, StringComparer.Ordinal);

    // A flag with its value. For any other word, the flag is null.
    private readonly record struct Part(Option? Flag, string[] Words);
}
