using System.Globalization;
using System.Xml.Linq;

namespace Broker.LoadTest.Report.Picture;

/// <summary>SVG shapes and one font, which all viewers show in the same way.</summary>
internal static class Shapes
{
    public const int Width = 900;
    public const int Margin = 20;
    public const int Legend = 24;

    private const int Mark = 12;

    private static readonly XNamespace Svg = "http://www.w3.org/2000/svg";
    private static readonly string[] Colours = ["#2f6fab", "#c8742b", "#4b8f4e", "#8a5fa8"];

    public static string Colour(int index) => Colours[index % Colours.Length];

    /// <summary>Creates the whole picture on a white background.</summary>
    public static string Whole(double height, IEnumerable<XElement> shapes) => new XElement(
        Svg + "svg",
        new XAttribute("viewBox", string.Create(CultureInfo.InvariantCulture, $"0 0 {Width} {height:0}")),
        new XAttribute("width", Width),
        new XAttribute("height", height.ToString("0", CultureInfo.InvariantCulture)),
        new XAttribute("font-family", "sans-serif"),
        Rectangle(0, 0, Width, height, "#ffffff"),
        shapes).ToString();

    /// <summary>Creates the title of the picture and the legend of its colours.</summary>
    public static IEnumerable<XElement> Head(string caption, IReadOnlyList<string> series)
    {
        yield return Text(Margin, Legend, caption, "start", 15);
        for (int i = 0; i < series.Count; i++)
        {
            double x = Margin + (i * 180);
            yield return Rectangle(x, (Legend * 2) - Mark, Mark, Mark, Colour(i));
            yield return Text(x + Mark + 6, (Legend * 2) - 1, series[i], "start", 12);
        }
    }

    public static XElement Rectangle(double x, double y, double width, double height, string colour)
        => new(Svg + "rect", Number("x", x), Number("y", y), Number("width", width), Number("height", height), new XAttribute("fill", colour));

    public static XElement Line(double x1, double y1, double x2, double y2, string colour)
        => new(Svg + "line", Number("x1", x1), Number("y1", y1), Number("x2", x2), Number("y2", y2), new XAttribute("stroke", colour));

    public static XElement Text(double x, double y, string text, string anchor, int size)
        => new(Svg + "text", Number("x", x), Number("y", y), new XAttribute("text-anchor", anchor), new XAttribute("font-size", size), text);

    private static XAttribute Number(string name, double value) => new(name, value.ToString("0.##", CultureInfo.InvariantCulture));
}
