using System.Globalization;
using System.Xml.Linq;

namespace Broker.LoadTest.Report.Picture;

/// <summary>Panels of horizontal bars below each other, as SVG. Plain shapes and one font: any viewer shows it alike.</summary>
internal static class BarChart
{
    private const int Width = 900;
    private const int LabelWidth = 190;
    private const int ValueWidth = 70;
    private const int Margin = 20;
    private const int BarHeight = 12;
    private const int GroupGap = 6;
    private const int TitleHeight = 34;
    private const int Legend = 24;
    private const int PlotWidth = Width - LabelWidth - ValueWidth - Margin;

    private static readonly XNamespace Svg = "http://www.w3.org/2000/svg";
    private static readonly string[] Colours = ["#2f6fab", "#c8742b", "#4b8f4e", "#8a5fa8"];

    public static string Draw(string caption, IReadOnlyList<Panel> panels)
    {
        string[] series = [.. panels.SelectMany(panel => panel.Groups).SelectMany(group => group.Bars).Select(bar => bar.Series).Distinct(StringComparer.Ordinal)];
        var shapes = new List<XElement> { Text(Margin, Legend, caption, "start", 15) };
        double y = Legend * 2;
        for (int i = 0; i < series.Length; i++)
        {
            double x = Margin + (i * 180);
            shapes.Add(Rectangle(x, y - BarHeight, BarHeight, BarHeight, Colour(i)));
            shapes.Add(Text(x + BarHeight + 6, y - 1, series[i], "start", 12));
        }

        foreach (Panel panel in panels)
            y = Draw(panel, series, y, shapes);
        y += Margin;
        return new XElement(
            Svg + "svg",
            new XAttribute("viewBox", string.Create(CultureInfo.InvariantCulture, $"0 0 {Width} {y:0}")),
            new XAttribute("width", Width),
            new XAttribute("height", y.ToString("0", CultureInfo.InvariantCulture)),
            new XAttribute("font-family", "sans-serif"),
            Rectangle(0, 0, Width, y, "#ffffff"),
            shapes).ToString();
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

    private static string Colour(int index) => Colours[index % Colours.Length];

    private static XElement Rectangle(double x, double y, double width, double height, string colour) =>
        new(Svg + "rect", Number("x", x), Number("y", y), Number("width", width), Number("height", height), new XAttribute("fill", colour));

    private static XElement Line(double x1, double y1, double x2, double y2, string colour) =>
        new(Svg + "line", Number("x1", x1), Number("y1", y1), Number("x2", x2), Number("y2", y2), new XAttribute("stroke", colour));

    private static XElement Text(double x, double y, string text, string anchor, int size) =>
        new(Svg + "text", Number("x", x), Number("y", y), new XAttribute("text-anchor", anchor), new XAttribute("font-size", size), text);

    private static XAttribute Number(string name, double value) => new(name, value.ToString("0.##", CultureInfo.InvariantCulture));
}
