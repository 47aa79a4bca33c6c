using System.Globalization;
using System.Xml.Linq;
using static Broker.LoadTest.Report.Picture.Shapes;

namespace Broker.LoadTest.Report.Picture;

/// <summary>
/// Panels of curves below each other, as SVG. Both scales are logarithmic, so proportional growth is a straight line.
/// </summary>
internal static class CurveChart
{
    private const int Left = 90;
    private const int PlotWidth = Width - Left - (2 * Margin);
    private const int PlotHeight = 220;
    private const int TitleHeight = 40;
    private const int AxisHeight = 30;
    private const double Dot = 6;
    private const string Grid = "#dddddd";

    public static string Draw(string caption, IReadOnlyList<CurvePanel> panels)
    {
        string[] series = [.. panels.SelectMany(static panel => panel.Curves).Select(static curve => curve.Series).Distinct(StringComparer.Ordinal)];
        List<XElement> shapes = [.. Head(caption, series)];
        double y = Legend * 2;
        foreach (CurvePanel panel in panels)
        {
            Draw(panel, series, y + TitleHeight, shapes);
            y += TitleHeight + PlotHeight + AxisHeight;
        }

        return Whole(y + Margin, shapes);
    }

    private static void Draw(CurvePanel panel, string[] series, double top, List<XElement> shapes)
    {
        (double X, double Y)[] all = [.. panel.Curves.SelectMany(static curve => curve.Points)];
        var across = Scale.Over(all.Select(static point => point.X), Left, PlotWidth);
        var up = Scale.Over(all.Select(static point => point.Y), top + PlotHeight, -PlotHeight);
        shapes.Add(Text(Margin, top - 14, $"{panel.Unit}: {panel.Title}", "start", 13));
        foreach (double y in up.Powers())
        {
            shapes.Add(Line(Left, up.At(y), Left + PlotWidth, up.At(y), Grid));
            shapes.Add(Text(Left - 8, up.At(y) + 4, Label(y), "end", 11));
        }

        foreach (double x in all.Select(static point => point.X).Distinct().Order())
        {
            shapes.Add(Line(across.At(x), top, across.At(x), top + PlotHeight, Grid));
            shapes.Add(Text(across.At(x), top + PlotHeight + 16, Label(x), "middle", 11));
        }

        foreach (Curve curve in panel.Curves)
        {
            string colour = Colour(Array.IndexOf(series, curve.Series));
            (double X, double Y)[] places = [.. curve.Points.Select(point => (across.At(point.X), up.At(point.Y)))];
            for (int i = 0; i < places.Length; i++)
            {
                shapes.Add(Rectangle(places[i].X - (Dot / 2), places[i].Y - (Dot / 2), Dot, Dot, colour));
                if (i > 0)
                {
                    shapes.Add(Line(places[i - 1].X, places[i - 1].Y, places[i].X, places[i].Y, colour));
                }
            }
        }
    }

    private static string Label(double value) => value.ToString("#,0.##", CultureInfo.InvariantCulture);

    /// <summary>Extends a range to whole powers of ten.</summary>
    private readonly record struct Scale(double Least, double Most, double From, double Length)
    {
        public static Scale Over(IEnumerable<double> values, double from, double length)
        {
            double[] logs = [.. values.Select(Math.Log10)];
            double least = Math.Floor(logs.Min());
            return new Scale(least, Math.Max(least + 1, Math.Ceiling(logs.Max())), from, length);
        }

        public double At(double value) => From + ((Math.Log10(value) - Least) / (Most - Least) * Length);

        public IEnumerable<double> Powers()
        {
            for (double power = Least; power <= Most; power++)
            {
                yield return Math.Pow(10, power);
            }
        }
    }
}
