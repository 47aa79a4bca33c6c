using System.Globalization;
using System.Text;
using Broker.LoadTest.Report;

namespace Broker.LoadTest.Churn;

/// <summary>The report: the results of all servers side by side, and in Markdown the values during the run.</summary>
internal static class ChurnReport
{
    public static string ToText(ChurnSettings settings, IReadOnlyList<ChurnOutcome> outcomes)
        => Head(settings, "") + "\n" + Conclusions(outcomes).ToText() + Failures(outcomes, "");

    public static string ToMarkdown(ChurnSettings settings, IReadOnlyList<ChurnOutcome> outcomes)
    {
        StringBuilder text = new StringBuilder("# Churn\n\n").Append(Head(settings, "- ")).Append('\n').Append(Conclusions(outcomes).ToMarkdown()).Append('\n');
        foreach (ChurnOutcome outcome in outcomes)
        {
            text.Append(CultureInfo.InvariantCulture, $"## {outcome.Server}\n\n").Append(outcome.Intervals.ToMarkdown()).Append('\n');
        }

        return text.Append(Failures(outcomes, "- ")).ToString();
    }

    private static string Head(ChurnSettings settings, string bullet)
        => $"{bullet}Machine: {MachineInfo.Machine}\n{bullet}System: {MachineInfo.System}; driver on {MachineInfo.Runtime}\n{bullet}Broker: {MachineInfo.BrokerVersion}\n{bullet}Settings: {settings}\n"
        + string.Create(CultureInfo.InvariantCulture, $"{bullet}Date: {DateTimeOffset.UtcNow:yyyy-MM-dd HH:mm} UTC\n");

    private static Table Conclusions(IReadOnlyList<ChurnOutcome> outcomes)
    {
        var table = new Table(["", .. outcomes.Select(outcome => outcome.Server)]);
        void Line(string what, Func<ChurnOutcome, string> cell) => table.Add([what, .. outcomes.Select(cell)]);
        Line("connections that came and went", o => Count(o.Connections));
        Line("messages on them, due and come", o => $"{Count(o.OnVisits.Expected)} / {Count(o.OnVisits.Received)}");
        Line("messages at full rate, published and delivered", o => $"{Count(o.FullRate.Published)} / {Count(o.FullRate.Received)}");
        Line("lost wake-ups", o => Count(o.LostWakeUps));
        Line("publish p50 µs without and with churn", o => $"{Digits(o.Before?.P50)} / {Digits(o.During?.P50)}");
        Line("publish p99 µs without and with churn", o => $"{Digits(o.Before?.P99)} / {Digits(o.During?.P99)}");
        Line("p99 with over p99 without", o => o.P99Ratio is { } ratio ? Format.Times(ratio) : Format.Nothing);
        Line("memory slope, kB per minute", o => (o.BytesPerMinute / 1e3).ToString("0", CultureInfo.InvariantCulture));
        Line("handles before and after", o => $"{Count(o.Handles.Before)} / {Count(o.Handles.After)}");
        return table;
    }

    private static string Failures(IReadOnlyList<ChurnOutcome> outcomes, string bullet)
        => string.Concat(outcomes.SelectMany(outcome => outcome.Failures.Select(failure => $"{bullet}FAILED {outcome.Server}: {failure}\n")));

    private static string Count(long? value) => value?.ToString("N0", CultureInfo.InvariantCulture) ?? Format.Nothing;

    private static string Digits(double? value) => value is { } digits ? Format.Digits(digits) : Format.Nothing;
}
