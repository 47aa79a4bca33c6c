using OxyPlot;

namespace Broker.Cli.Bench;

/// <summary>
/// Measures texts for an SVG picture. The library measures them in points, but an SVG picture has pixels, so that labels
/// would overlap.
/// </summary>
internal sealed class PixelMeasurer(double width, double height) : PdfRenderContext(width, height, OxyColors.White)
{
    private const double PixelsOfPoint = 96.0 / 72;

    public override OxySize MeasureText(string text, string fontFamily, double fontSize, double fontWeight)
    {
        OxySize points = base.MeasureText(text, fontFamily, fontSize, fontWeight);
        return new OxySize(points.Width * PixelsOfPoint, points.Height * PixelsOfPoint);
    }
}
