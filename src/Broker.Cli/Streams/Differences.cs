using System.CommandLine;
using Broker.Cli.Shell;

namespace Broker.Cli.Streams;

/// <summary>Lists the options that a command would change, with their old and new values.</summary>
internal static class Differences
{
    public static Option<bool> DryRun() => new("--dry-run") { Description = "Show the differences, and change nothing" };

    /// <summary>Shows each option that differs on standard error. Returns false, and says so, if none differs.</summary>
    public static bool Show(ShellStreams shell, Facts before, Facts after)
    {
        bool any = false;
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

        if (!any)
        {
            shell.Say("nothing to change");
        }

        return any;
    }

    private static string Value(Facts facts, string name) => facts.All.FirstOrDefault(fact => fact.Name == name).Value ?? "no";
}
