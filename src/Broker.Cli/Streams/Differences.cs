using System.CommandLine;
using Broker.Cli.Shell;

namespace Broker.Cli.Streams;

/// <summary>Lists the options that a command would change, with their old and new values.</summary>
internal static class Differences
{
    public static Option<bool> DryRun() => new("--dry-run") { Description = "Show the differences, and change nothing" };

    /// <summary>
    /// Shows each option that differs on standard error. Returns false, and says so, if none differs.
    /// </summary>
    /// <param name="shell">The streams of the command.</param>
    /// <param name="before">The options before the change.</param>
    /// <param name="after">The options after it.</param>
    /// <param name="hasOthers">Whether options differ that have no flag.</param>
    public static bool Show(ShellStreams shell, Facts before, Facts after, bool hasOthers = false)
    {
        bool any = hasOthers;
        foreach (string name in before.All.Concat(after.All).Select(static fact => fact.Name).Distinct(StringComparer.Ordinal))
        {
            string old = Value(before, name);
            string value = Value(after, name);
            if (old != value)
            {
                any = true;
                shell.Say($"{name}: {old} -> {value}");
            }
        }

        if (hasOthers)
        {
            shell.Say("options that have no flag differ");
        }

        if (!any)
        {
            shell.Say("nothing to change");
        }

        return any;
    }

    private static string Value(Facts facts, string name) => facts.All.FirstOrDefault(fact => fact.Name == name).Value ?? "no";
}
