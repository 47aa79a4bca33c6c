using Broker.Cli.Shell;
using Broker.Cli.Terminal;

namespace Broker.Cli.Servers;

/// <summary>Prints the result of a check as one line, as plugins of Nagios do, and returns the exit code.</summary>
internal static class CheckReport
{
    /// <summary>Prints the values. The worst one decides.</summary>
    /// <param name="shell">The streams of the command.</param>
    /// <param name="name">The name of the check.</param>
    /// <param name="values">The measured values.</param>
    public static int Print(ShellStreams shell, string name, params CheckValue[] values)
    {
        CheckStatus status = values.Max(static value => value.Status);
        IEnumerable<CheckValue> reasons = status == CheckStatus.Ok ? values : values.Where(value => value.Status == status);
        string data = string.Join(' ', values.Select(static value => value.Data));
        return Print(shell, name, status, $"{string.Join(", ", reasons.Select(static value => value.Text))} | {data}");
    }

    /// <summary>Prints a status without values.</summary>
    public static int Print(ShellStreams shell, string name, CheckStatus status, string text)
    {
        // Monitoring systems read standard output. The text may come from a server.
        var lines = new LineOutput(shell);
        lines.Write($"{name} {status.ToString().ToUpperInvariant()}: {SafeText.OneLine(text)}");
        lines.EndLine();
        lines.Flush();
        return (int)status;
    }
}
