using System.CommandLine;

namespace Broker.Cli.CommandLine;

/// <summary>
/// nats-server takes every flag with one dash or two (<c>-port</c>, <c>--port</c>, <c>--p</c>). This brings them to the
/// form that the parser knows: one dash before a letter, two before a word.
/// </summary>
internal static class GoStyleArguments
{
    public static string[] Normalize(IReadOnlyList<string> args, Command root)
    {
        var names = Names(root).ToHashSet(StringComparer.Ordinal);
        var normalized = new string[args.Count];
        var onlyValues = false;
        for (var i = 0; i < args.Count; i++)
        {
            onlyValues |= args[i] == "--";
            normalized[i] = onlyValues ? args[i] : Normalize(args[i], names);
        }

        return normalized;
    }

    private static string Normalize(string arg, HashSet<string> names)
    {
        var bare = arg.TrimStart('-');
        if (arg.Length - bare.Length is not (1 or 2))
            return arg;
        var end = bare.IndexOf('=', StringComparison.Ordinal);
        var name = end < 0 ? bare : bare[..end];
        var dashed = name.Length == 1 ? "-" + name : "--" + name;
        return names.Contains(dashed) ? dashed + bare[name.Length..] : arg;
    }

    private static IEnumerable<string> Names(Command command) =>
        command.Options.SelectMany(o => o.Aliases.Prepend(o.Name)).Concat(command.Subcommands.SelectMany(Names));
}
