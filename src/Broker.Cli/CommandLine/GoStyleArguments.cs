using System.CommandLine;

namespace Broker.Cli.CommandLine;

/// <summary>
/// nats-server takes every flag with one dash or two (<c>-port</c>, <c>--port</c>, <c>--p</c>), never several in one word, and
/// what follows a flag that needs a value is its value, whatever it looks like. This brings arguments to the form that the parser
/// knows: one dash before a letter, two before a word.
/// </summary>
internal static class GoStyleArguments
{
    // Flags of nats-server that stand for several; the second V is for messages of the system account.
    private static readonly Dictionary<string, string[]> Combined = new(StringComparer.Ordinal)
    {
        ["DV"] = ["-D", "-V"],
        ["DVV"] = ["-D", "-V"],
        ["VV"] = ["-V"],
    };

    public static IReadOnlyList<string> Normalize(IReadOnlyList<string> args, Command root)
    {
        Dictionary<string, Option> options = Options(root)
            .SelectMany(o => o.Aliases.Prepend(o.Name).Select(name => (name, o)))
            .DistinctBy(pair => pair.name, StringComparer.Ordinal)
            .ToDictionary(pair => pair.name, pair => pair.o, StringComparer.Ordinal);
        var normalized = new List<string>(args.Count);
        for (int i = 0; i < args.Count; i++)
        {
            if (args[i] == "--")
            {
                normalized.AddRange(args.Skip(i));
                break;
            }

            string bare = args[i].TrimStart('-');
            if (args[i].Length - bare.Length is not (1 or 2))
            {
                normalized.Add(args[i]);
                continue;
            }

            if (Combined.TryGetValue(bare, out string[]? several))
            {
                normalized.AddRange(several);
                continue;
            }

            int end = bare.IndexOf('=', StringComparison.Ordinal);
            string name = end < 0 ? bare : bare[..end];
            string dashed = name.Length == 1 ? "-" + name : "--" + name;
            if (!options.TryGetValue(dashed, out Option? option))
            {
                normalized.Add(args[i]);
                continue;
            }

            normalized.Add(dashed + bare[name.Length..]);
            if (end < 0 && option.Arity.MinimumNumberOfValues > 0 && i + 1 < args.Count)
            {
                i++;
                if (args[i].StartsWith('-'))
                {
                    normalized[^1] += "=" + args[i];
                }
                else
                {
                    normalized.Add(args[i]);
                }
            }
        }

        return normalized;
    }

    private static IEnumerable<Option> Options(Command command) => command.Options.Concat(command.Subcommands.SelectMany(Options));
}
