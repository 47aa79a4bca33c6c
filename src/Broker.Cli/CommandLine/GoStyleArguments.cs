using System.CommandLine;

namespace Broker.Cli.CommandLine;

/// <summary>
/// Converts flags in the style of Go to the form that the parser expects: one dash before a letter, two dashes before a
/// word. nats-server accepts every flag with one or two dashes (<c>-port</c>, <c>--port</c>, <c>--p</c>), but never
/// several flags in one word. The argument after a flag that needs a value is always its value, even if it begins with
/// a dash.
/// </summary>
internal static class GoStyleArguments
{
    // Flags of nats-server that are short for several flags.
    private static readonly Dictionary<string, string[]> Combined = new(StringComparer.Ordinal)
    {
        ["DV"] = ["-D", "-V"],
        ["DVV"] = ["-D", "--VV"],
    };

    /// <param name="args">The arguments from the command line.</param>
    /// <param name="root">The root command.</param>
    /// <param name="unknown">
    /// The first argument that looks like a flag but is unknown, or null. The parser itself could read it as a value.
    /// </param>
    public static IReadOnlyList<string> Normalize(IReadOnlyList<string> args, Command root, out string? unknown)
    {
        unknown = null;
        Command command = root;
        Dictionary<string, Option> options = OptionsOf(command);
        var normalized = new List<string>(args.Count);
        for (int i = 0; i < args.Count; i++)
        {
            if (args[i] == "--")
            {
                normalized.AddRange(args.Skip(i));
                break;
            }

            string bare = args[i].TrimStart('-');
            if (command.Subcommands.FirstOrDefault(c => c.Name == args[i]) is { } next)
            {
                // Each command has its own flags.
                command = next;
                options = OptionsOf(command);
                normalized.Add(args[i]);
                continue;
            }

            if (args[i].Length - bare.Length is not (1 or 2))
            {
                normalized.Add(args[i]);
                continue;
            }

            if (Combined.TryGetValue(bare, out string[]? several) && options.ContainsKey(several[0]))
            {
                normalized.AddRange(several);
                continue;
            }

            int end = bare.IndexOf('=', StringComparison.Ordinal);
            string name = end < 0 ? bare : bare[..end];
            string dashed = name.Length == 1 ? "-" + name : "--" + name;
            if (!options.TryGetValue(dashed, out Option? option))
            {
                unknown ??= args[i];
                normalized.Add(args[i]);
                continue;
            }

            normalized.Add(dashed + bare[name.Length..]);
            if (end < 0 && option.Arity.MinimumNumberOfValues > 0 && i + 1 < args.Count)
            {
                AddValue(normalized, args[++i]);
            }
        }

        return normalized;
    }

    private static void AddValue(List<string> normalized, string value)
    {
        if (value.StartsWith('-'))
        {
            normalized[^1] += "=" + value;
        }
        else
        {
            normalized.Add(value);
        }
    }

    private static Dictionary<string, Option> OptionsOf(Command command)
        => command.Options
            .SelectMany(o => o.Aliases.Prepend(o.Name).Select(name => (name, o)))
            .ToDictionary(pair => pair.name, pair => pair.o, StringComparer.Ordinal);
}
