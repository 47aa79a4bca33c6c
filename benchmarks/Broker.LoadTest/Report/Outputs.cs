using Broker.LoadTest.Report.Picture;
using Broker.LoadTest.Runs;

namespace Broker.LoadTest.Report;

/// <summary>The files that the report is written to in addition to the console.</summary>
internal sealed record Outputs(FileInfo? Markdown, FileInfo? Csv, FileInfo? Picture, FileInfo? Curves = null)
{
    public void Write(IReadOnlyList<Results> parts)
    {
        Console.Out.WriteLine();
        Console.Out.Write(Summary.ToText(parts));
        Write(Markdown, () => Summary.ToMarkdown(parts));
        Write(Csv, () => Report.Csv.Build(parts));
        Write(Picture, () => BarChart.Draw($"{MachineInfo.Machine}, {parts[0].Settings.Rounds} rounds; the lines span the rounds", RatioPanels.Of(parts)));
        Write(Curves, () => CurveChart.Draw($"{MachineInfo.Machine}, medians of {parts[0].Settings.Rounds} rounds; both scales are logarithmic", CurvePanels.Of(parts)));
    }

    private static void Write(FileInfo? file, Func<string> text)
    {
        if (file is null)
        {
            return;
        }

        file.Directory?.Create();
        File.WriteAllText(file.FullName, text());
    }
}
