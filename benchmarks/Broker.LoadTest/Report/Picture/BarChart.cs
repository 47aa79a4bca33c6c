using System.Xml.Linq;
using static Broker.LoadTest.Report.Picture.Shapes;

namespace Broker.LoadTest.Report.Picture;

/// <summary>Panels of horizontal bars below each other, as SVG.</summary>
internal static class BarChart
{
    private const int LabelWidth = 190;
    private const int ValueWidth = 70;
    private const int BarHeight = 12;
    private const int GroupGap = 6;
    private const int TitleHeight = 34;
    private const int PlotWidth = Width - LabelWidth - ValueWidth - Margin;

    public static string Draw(string caption, IReadOnlyList<Panel> panels)
    {
        string[] series = [.. panels.SelectMany(panel => panel.Groups).SelectMany(group => group.Bars).Select(bar => bar.Series).Distinct(StringComparer.Ordinal)];
        List<XElement> shapes = [.. Head(caption, series)];
        double y = Legend * 2;
        foreach (Panel panel in panels)
        {
            y = Draw(panel, series, y, shapes);
        }

        return Whole(y + Margin, shapes);
    }

    private static double Draw(Panel panel, string[] series, double y, List<XElement> shapes)
    {
        double most = panel.Groups.SelectMany(group => group.Bars).Max(bar => Math.Max(bar.Max, bar.Value));
        double scale = PlotWidth / Math.Max(1, most);
        shapes.Add(Text(Margin, y + TitleHeight - 10, panel.Title, "start", 13));
        y += TitleHeight;
        double top = y;
        foreach (BarGroup group in panel.Groups)
        {
            shapes.Add(Text(LabelWidth - 8, y + (BarHeight * group.Bars.Count / 2.0) + 4, group.Label, "end", 12));
            foreach (Bar bar in group.Bars)
            {
                double middle = y + (BarHeight / 2.0);
                shapes.Add(Rectangle(LabelWidth, y, bar.Value * scale, BarHeight - 1, Colour(Array.IndexOf(series, bar.Series))));
                shapes.Add(Line(LabelWidth + (bar.Min * scale), middle, LabelWidth + (bar.Max * scale), middle, "#222222"));
                shapes.Add(Text(LabelWidth + (Math.Max(bar.Max, bar.Value) * scale) + 6, y + BarHeight - 2, Format.Times(bar.Value), "start", 11));
                y += BarHeight;
            }

            y += GroupGap;
        }

        shapes.Add(Line(LabelWidth + scale, top - 4, LabelWidth + scale, y, "#999999"));
        return y;
    }
}
